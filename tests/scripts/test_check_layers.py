# SPDX-License-Identifier: Apache-2.0
"""Includes against the layers are found, also through other files; legal ones pass."""

from pathlib import Path

import pytest

import check_layers


def source(*includes: str) -> str:
    return "#pragma once\n" + "".join(f'#include "{include}"\n' for include in includes)


BASE = {
    "einsummable/base/error.h": source(),
    "einsummable/tensor/tiling.h": source("einsummable/base/error.h"),
    "einsummable/spec/index.h": source("einsummable/tensor/tiling.h"),
    "einsummable/ops/operator.h": source("einsummable/spec/index.h"),
    "einsummable/workloads/ffn.h": source("einsummable/ops/operator.h"),
    "einsummable/topology/topology.h": source(),
    "einsummable/exchange/program.h": source(),
    "einsummable/exchange/simulator.h": source(
        "einsummable/exchange/program.h", "einsummable/topology/topology.h"
    ),
    "einsummable/task/lowering.h": source("einsummable/ops/operator.h"),
    "einsummable/executor/executor.h": source("einsummable/task/lowering.h"),
    "einsummable/executor/cpu/pool.h": source("einsummable/executor/executor.h"),
    "einsummable/executor/mpi/rank.h": source("einsummable/executor/executor.h"),
    "tests/support/random_graph.h": source("einsummable/task/lowering.h"),
}


def test_legal_tree_passes():
    outside = source("hwy/foreach_target.h") + "#include <vector>\n"
    assert check_layers.check(BASE | {"einsummable/executor/cpu/gelu.cc": outside}) == []


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("einsummable/graph/graph.cc", "einsummable/tensor/tiling.h"),
        ("einsummable/logical/cost_model.h", "einsummable/topology/topology.h"),
        ("einsummable/synthesis/naive.cc", "einsummable/exchange/simulator.h"),
        ("einsummable/exchange/bounds.cc", "einsummable/topology/topology.h"),
        ("einsummable/executor/executor.cc", "einsummable/executor/cpu/pool.h"),
        ("einsummable/compile.cc", "einsummable/executor/mpi/rank.h"),
        ("python/bindings/plan.cc", "einsummable/ops/operator.h"),
        ("tests/spec/index_test.cc", "einsummable/tensor/tiling.h"),
        ("tests/spec/index_test.cc", "tests/support/random_graph.h"),
        ("tests/logical/plan_test.cc", "einsummable/workloads/ffn.h"),
        ("tests/conformance/conformance_test.cc", "einsummable/executor/cpu/pool.h"),
    ],
)
def test_include_downwards_is_legal(path, include):
    assert check_layers.check(BASE | {path: source(include)}) == []


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("einsummable/base/text.cc", "einsummable/tensor/tiling.h"),
        ("einsummable/tensor/dtype.h", "einsummable/spec/index.h"),
        ("einsummable/topology/file.cc", "einsummable/tensor/tiling.h"),
        ("einsummable/exchange/checker.cc", "einsummable/topology/topology.h"),
        ("einsummable/exchange/checker.cc", "einsummable/exchange/simulator.h"),
        ("einsummable/exchange/checker.cc", "einsummable/spec/index.h"),
        ("einsummable/synthesis/naive.cc", "einsummable/ops/operator.h"),
        ("einsummable/executor/cpu/run.cc", "einsummable/executor/mpi/rank.h"),
        ("einsummable/executor/pool.cc", "einsummable/executor/cpu/pool.h"),
        ("einsummable/ops/matmul.cc", "tests/support/random_graph.h"),
        ("tests/spec/index_test.cc", "einsummable/ops/operator.h"),
        ("tests/spec/index_test.cc", "einsummable/workloads/ffn.h"),
        ("einsummable/logical/plan.cc", "einsummable/workloads/ffn.h"),
        ("tests/executor/cpu/run_test.cc", "einsummable/executor/mpi/rank.h"),
    ],
)
def test_include_upwards_or_aside_is_a_fault(path, include):
    faults = check_layers.check(BASE | {path: source(include)})
    assert faults
    assert all(path in fault and include in fault for fault in faults[:1])


def test_what_a_file_reaches_through_another_counts():
    tree = BASE | {"einsummable/base/error.h": source("einsummable/ops/operator.h")}
    faults = check_layers.check(tree)
    assert any(
        "tensor may not see einsummable/ops/operator.h through einsummable/base/error.h" in fault
        for fault in faults
    )


def test_other_faults_of_includes():
    tree = BASE | {
        "einsummable/base/a.h": "",
        "einsummable/base/b.h": source("error.h"),
        "einsummable/base/c.h": source("einsummable/base/gone.h"),
        "einsummable/base/d.h": source("einsummable/base/e.h"),
        "einsummable/base/e.h": source("einsummable/base/d.h"),
        "einsummable/base/f.cc": "#include <einsummable/base/error.h>\n",
        "einsummable/new/g.cc": "",
    }
    faults = "\n".join(check_layers.check(tree))
    assert "base/a.h: has no #pragma once" in faults
    assert 'base/b.h: "error.h" is no path from the root' in faults
    assert 'base/c.h: "einsummable/base/gone.h" does not exist' in faults
    assert "base/d.h: includes itself through einsummable/base/e.h" in faults
    assert "base/f.cc: <einsummable/base/error.h> is ours" in faults
    assert "new/g.cc: its folder has no layer" in faults
    assert faults.count("\n") == 6


def test_layers_have_no_cycle():
    for layer in check_layers.LAYERS:
        below = {
            seen for under in check_layers.LAYERS[layer] for seen in check_layers.visible(under)
        }
        assert layer == "base" or layer not in below


def test_the_sources_of_the_checkout_are_read():
    sources = check_layers.read_sources(Path(check_layers.__file__).resolve().parent.parent)
    assert {"einsummable/base/error.h", "tests/base/error_test.cc"} <= set(sources)
