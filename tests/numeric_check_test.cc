// SPDX-License-Identifier: Apache-2.0
#include "einsummable/numeric_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "einsummable/base/error.h"
#include "einsummable/compile.h"
#include "einsummable/executor/cpu/cpu_executor.h"
#include "einsummable/ops/registry.h"
#include "einsummable/task/fuse.h"
#include "einsummable/task/lowering.h"
#include "einsummable/task/memory_plan.h"
#include "einsummable/workloads/ffn.h"
#include "einsummable/workloads/llama.h"
#include "tests/support/executable.h"
#include "tests/support/random_arrays.h"
#include "tests/support/random_graph.h"
#include "tests/support/rounds.h"

namespace einsummable {
namespace {

constexpr auto kNumeric = CompileOptions::Verify::numeric;

TEST(NumericCheck, AcceptsRandomGraphsOfEveryFloatDType) {
  int64_t elements = 0;
  for (int round = 0; round < rounds(60, 2000); ++round) {
    Random random(static_cast<uint64_t>(1000 + round));
    const DType dtypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};
    const Graph graph = random_graph(random, 3 + round % 12, dtypes[round % 4]);
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + text(graph));
    const auto sites =
        round % 3 ? CompileOptions::Sites::shared : CompileOptions::Sites::private_sites;
    const auto executable =
        compile(graph, {.devices = 1 + round % 8,
                        .selector = round % 2 ? Selector::random : Selector::optimal,
                        .seed = random(),
                        .sites = sites,
                        .verify = kNumeric});
    EXPECT_EQ(executable->numeric()->count, 0);
    ASSERT_NO_THROW(call(*executable, graph, random_values(random, graph)));
    EXPECT_GT(executable->numeric()->count, 0);
    EXPECT_EQ(executable->numeric()->detail, "");
    elements += executable->numeric()->count;
  }
  printf("%lld elements\n", static_cast<long long>(elements));
}

// A graph of one call of an operator, and values for its inputs.
struct OneCall {
  Graph graph;
  std::map<TensorId, Array64> values;

  OneCall(const OperatorInfo& info, Values kind, Random& random) {
    const Sample sample = info.sample(random);
    const auto op = make_operator(info, sample.call);
    std::vector<Array64> arrays = random_arrays(*op, sample.domains, kind, random);
    std::vector<TensorId> inputs;
    for (size_t i = 0; i < arrays.size(); ++i) {
      const TensorType& type = op->inputs()[i];
      inputs.push_back(graph.input(type.dtype, type.shape()));
      values.emplace(inputs[i], rounded(std::move(arrays[i]), type.dtype));
    }
    for (TensorId output : graph.apply(info.name, inputs, sample.call.attributes)) {
      graph.save(output, "output " + std::to_string(output.value));
    }
  }
};

TEST(NumericCheck, AcceptsEveryOperator) {
  for (const OperatorInfo& info : operators()) {
    for (int round = 0; round < rounds(12, 300); ++round) {
      Random random(static_cast<uint64_t>(round));
      const Values kinds[] = {Values::reals, Values::special, Values::integers};
      const OneCall one(info, kinds[round % 3], random);
      SCOPED_TRACE(std::string(info.name) + ", round " + std::to_string(round) + "\n" +
                   text(one.graph));
      const auto executable = compile(one.graph, {.devices = 1 + round % 8,
                                                  .selector = Selector::random,
                                                  .seed = random(),
                                                  .verify = kNumeric});
      ASSERT_NO_THROW(call(*executable, one.graph, one.values));
    }
  }
}

TEST(NumericCheck, AcceptsATransformerBlock) {
  for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const Graph graph = workloads::llama({.batch = 2,
                                          .seq = 16,
                                          .d_model = 64,
                                          .heads = 4,
                                          .kv_heads = 2,
                                          .head_dim = 16,
                                          .d_ff = 96,
                                          .dtype = dtype});
    Random random(5);
    auto values = random_values(random, graph);
    for (auto& [tensor, array] : values) {
      if (is_float(graph.type(tensor).dtype)) continue;
      for (size_t i = 0; i < array.values().size(); ++i) {
        array.values()[i] = static_cast<double>(i % 16);
      }
    }
    const auto executable = compile(graph, {.devices = 3, .objective = kProxy, .verify = kNumeric});
    ASSERT_NO_THROW(call(*executable, graph, values)) << long_name(dtype);
  }
}

TEST(NumericCheck, ComparesIntegersAndNaN) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {6, 5}, "x");
  graph.save(graph.apply("argmax", {x}, {{"axis", 1}})[0], "first");
  graph.save(graph.apply("greater", {x, graph.apply("neg", {x})[0]})[0], "more");
  graph.save(graph.apply("sum", {x})[0], "sum");
  Array64 array(box_of(Shape{6, 5}));
  for (size_t i = 0; i < 30; ++i) array.values()[i] = static_cast<double>(i * 7 % 5);
  array.values()[8] = std::numeric_limits<double>::quiet_NaN();
  array.values()[21] = std::numeric_limits<double>::infinity();
  const auto executable = compile(graph, {.devices = 4, .objective = kProxy, .verify = kNumeric});
  ASSERT_NO_THROW(call(*executable, graph, {{x, array}}));
  EXPECT_EQ(executable->numeric()->detail, "");
}

TEST(NumericCheck, LeavesProofsAloneByDefault) {
  const auto executable =
      compile(workloads::ffn(4, 6, 8, DType::f32), {.devices = 2, .objective = kProxy});
  EXPECT_FALSE(executable->numeric());
}

// An execution that gives a wrong element of one saved tensor, or stops after it ran.
class Faulty final : public Execution {
 public:
  Faulty(std::unique_ptr<Execution> right, int32_t save, size_t element)
      : right_(std::move(right)), save_(save), element_(element) {}

  void load(TensorId tensor, const StridedView& array) override { right_->load(tensor, array); }
  void run(const std::function<bool()>& interrupted) override { right_->run(interrupted); }
  std::vector<TaskTime> last_run() const override { return right_->last_run(); }
  void offload(int32_t save, const StridedView& array) override {
    right_->offload(save, array);
    if (save != save_) return;
    std::byte* at = array.data + element_ * static_cast<size_t>(size_of(array.dtype));
    store_element(array.dtype, at, load_element(array.dtype, at) + 0.5);
  }

 private:
  std::unique_ptr<Execution> right_;
  int32_t save_;
  size_t element_;
};

// y = relu(x w1) w2 of ones, its tensors: x, w1, w2, up, relu, y.
struct Checked {
  Graph graph = workloads::ffn(4, 6, 8, DType::f32);
  Plan plan = make_plan(graph, {.devices = 2, .objective = kProxy});
  std::shared_ptr<const PhysicalPlan> all = keeping_all(*plan.physical);
  std::unique_ptr<Execution> program = prepared(plan.physical), kept = prepared(all);

  static std::unique_ptr<Execution> prepared(std::shared_ptr<const PhysicalPlan> plan) {
    cpu::CpuExecutor executor({.threads = 1});
    auto tasks = std::make_shared<TaskGraph>(lower(std::move(plan), executor.traits()));
    fuse(*tasks, executor.traits());
    plan_memory(*tasks, executor.traits());
    return executor.prepare(std::move(tasks));
  }
  int32_t save_of(TensorId tensor) const {
    const auto& saves = all->graph->saves();
    return static_cast<int32_t>(std::ranges::find(saves, tensor, &GraphSave::tensor) -
                                saves.begin());
  }
  // What is said of this call; "" if nothing is wrong.
  std::string complaint(Check& report) {
    NumericCheck check(plan.physical, all, std::move(kept));
    for (size_t t = 0; t < 3; ++t) {
      const TensorId tensor(static_cast<int64_t>(t));
      Memory ones(graph.type(tensor), Array64(graph.type(tensor).bounds, 1));
      program->load(tensor, ones.view());
      check.load(tensor, ones.view());
    }
    program->run({});
    std::string said;
    try {
      check.compare(*program, {});
    } catch (const DeviceError& error) {
      said = error.what();
    }
    report = check.report();
    return said;
  }
};

TEST(NumericCheck, NamesTheElementThatIsOff) {
  Check report;
  Checked right;
  EXPECT_EQ(right.complaint(report), "");
  // up and relu have 32 elements, y has 24; y is compared with that of the program once more.
  EXPECT_EQ(report.count, 32 + 32 + 24 + 24);
  EXPECT_EQ(report.detail, "");
  EXPECT_EQ(report.note.find("largest difference 0.0 "), 0u) << report.note;

  Checked inner;
  inner.kept = std::make_unique<Faulty>(std::move(inner.kept), inner.save_of(TensorId(3)), 9);
  const std::string said = inner.complaint(report);
  EXPECT_EQ(said.find("numeric verification: the result of matmul \"up\" (float32[4, 8]), is 6.5 "
                      "at [1, 1], where the reference gives 6.0; they may differ by "),
            0u)
      << said;
  EXPECT_EQ("numeric verification: " + report.detail, said);

  Checked saved;
  saved.kept = std::make_unique<Faulty>(std::move(saved.kept), saved.save_of(TensorId(5)), 23);
  EXPECT_NE(saved.complaint(report).find("\"y\", of matmul \"down\" (float32[4, 6]), is 48.5 at "
                                         "[3, 5], where the reference gives 48.0; "),
            std::string::npos)
      << report.detail;

  Checked program;
  program.program = std::make_unique<Faulty>(std::move(program.program), 0, 0);
  EXPECT_EQ(program.complaint(report),
            "numeric verification: \"y\" (float32[4, 6]), is 48.5 at [0, 0], where the same plan "
            "that keeps every tensor gives 48.0; they may differ by 0");
}

TEST(NumericCheck, KeepsEveryTensorUnderNamesThatAreFree) {
  Graph graph;
  const TensorId x = graph.input(DType::f32, {4}, "x");
  const TensorId y = graph.apply("relu", {x})[0];
  graph.save(graph.apply("neg", {y})[0], "tensor 1");
  const Plan plan = make_plan(graph, {.devices = 2, .objective = kProxy});
  const auto all = keeping_all(*plan.physical);
  std::vector<std::string> names;
  for (const GraphSave& save : all->graph->saves()) names.push_back(save.name);
  EXPECT_EQ(names, (std::vector<std::string>{"tensor 1", "tensor 0", "tensor 1'"}));
  EXPECT_EQ(all->placement, plan.physical->placement);
}

TEST(NumericCheck, StopsWhenItIsInterrupted) {
  Checked checked;
  NumericCheck check(checked.plan.physical, checked.all, std::move(checked.kept));
  for (size_t t = 0; t < 3; ++t) {
    const TensorId tensor(static_cast<int64_t>(t));
    Memory ones(checked.graph.type(tensor), Array64(checked.graph.type(tensor).bounds, 1));
    check.load(tensor, ones.view());
  }
  EXPECT_THROW(check.compare(*checked.program, [] { return true; }), InputError);
}

}  // namespace
}  // namespace einsummable
