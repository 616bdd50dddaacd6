// SPDX-License-Identifier: Apache-2.0
#pragma once

// The public interface: build a Graph, compile() it for a number of devices, call the Executable.
//   Graph g;
//   TensorId x = g.input(DType::f32, {tokens, d_model}, "x");
//   TensorId w = g.parameter(DType::f32, {d_model, d_ff}, "w");
//   g.save(g.apply("matmul", {x, w})[0], "y");
//   auto executable = compile(g, {.devices = 8});
#include "einsummable/base/error.h"
#include "einsummable/compile.h"
#include "einsummable/graph/graph.h"
#include "einsummable/workloads/chain.h"
#include "einsummable/workloads/ffn.h"
#include "einsummable/workloads/llama.h"
