// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "einsummable/base/syntax_error.h"
#include "einsummable/base/text.h"
#include "einsummable/task/task_graph.h"

namespace einsummable {
namespace {

constexpr std::array kRoles = {Buffer::Role::temporary, Buffer::Role::input,
                               Buffer::Role::parameter};
constexpr std::array kKinds = {Task::Kind::kernel,    Task::Kind::slice,    Task::Kind::concat,
                               Task::Kind::aggregate, Task::Kind::finalise, Task::Kind::transfer};

// Reads a task graph beside its plan.
class TaskGraphReader {
 public:
  TaskGraphReader(std::string_view text, std::shared_ptr<const PhysicalPlan> plan) : lexer_(text) {
    graph_.plan = std::move(plan);
  }

  TaskGraph read() {
    lexer_.expect("task");
    lexer_.expect("graph");
    if (lexer_.integer("a version") != 1)
      lexer_.fail("this version reads task graphs of version 1");
    lexer_.end_line();
    while (!lexer_.at_end()) {
      read_line();
      lexer_.end_line();
    }
    return std::move(graph_);
  }

 private:
  void read_line() {
    if (lexer_.accept("site")) return read_site();
    if (lexer_.accept("buffer")) return read_buffer();
    if (lexer_.accept("load")) return read_load();
    if (lexer_.accept("view")) return read_view();
    if (lexer_.accept("offload")) return read_offload();
    read_task();
  }

  int64_t number(std::string_view what, int64_t least, int64_t below) {
    const int64_t value = lexer_.integer(what);
    if (value < least || value >= below) {
      lexer_.fail(std::string(what) + " must be at least " + std::to_string(least) +
                  " and less than " + std::to_string(below));
    }
    return value;
  }
  int64_t bytes(std::string_view what) { return number(what, 0, int64_t{1} << 62); }
  void in_order(int64_t given, size_t expected) {
    if (given != static_cast<int64_t>(expected)) {
      lexer_.fail("numbers rise from 0: " + std::to_string(expected) + " comes next");
    }
  }

  SiteId site() {
    lexer_.expect("site");
    return SiteId(number("a site", 0, graph_.plan->sites));
  }
  TensorId tensor() {
    lexer_.expect("%");
    return TensorId(number("a tensor", 0, static_cast<int64_t>(graph_.graph().tensors().size())));
  }
  OpId op() {
    const std::string name = lexer_.string("an operator's name");
    const OpId id = graph_.graph().find_op(name);
    if (!id.valid()) lexer_.fail("the plan has no operator " + quote(name));
    return id;
  }
  int64_t cell(OpId id) {
    lexer_.expect("cell");
    return number("a cell", 0, graph_.plan->specs[id.index()].cells());
  }
  BufferId buffer() {
    return BufferId(number("a buffer", 0, static_cast<int64_t>(graph_.buffers.size())));
  }

  Box box() {
    Box out;
    lexer_.expect("[");
    while (!lexer_.accept("]")) {
      if (!out.empty()) lexer_.expect(",");
      const int64_t lo = number("a bound", -(int64_t{1} << 40), int64_t{1} << 40);
      lexer_.expect(":");
      out.push_back({lo, number("a bound", lo, int64_t{1} << 40)});
    }
    return out;
  }

  PerAxis list() {
    PerAxis out;
    lexer_.expect("[");
    while (!lexer_.accept("]")) {
      if (!out.empty()) lexer_.expect(",");
      out.push_back(number("an integer", -(int64_t{1} << 40), int64_t{1} << 40));
    }
    return out;
  }

  Operand operand() {
    const BufferId id = buffer();
    const Buffer& of = graph_.buffer(id);
    Box region = box();
    if (lexer_.accept("as")) {
      Operand out{
          .buffer = id, .region = std::move(region), .offset = 0, .shape = {}, .strides = {}};
      out.shape = list();
      if (std::ranges::any_of(out.shape, [](int64_t extent) { return extent < 0; })) {
        lexer_.fail("an extent is at least 0");
      }
      lexer_.expect("strides");
      out.strides = list();
      if (out.shape.size() != out.strides.size()) lexer_.fail("a stride for every extent");
      lexer_.expect("at");
      out.offset = number("an offset", 0, int64_t{1} << 40);
      if (out.region.size() != of.box.size()) lexer_.fail("a region of the buffer's rank");
      return out;
    }
    if (region.empty()) return whole_operand(id, of);
    if (region.size() != of.box.size() || !contains(shifted_to(of.box, of.box), region)) {
      lexer_.fail("a region outside buffer " + std::to_string(id.value));
    }
    return region_operand(id, of, region);
  }

  std::vector<Operand> operands() {
    std::vector<Operand> out;
    if (lexer_.peek().kind != Lexer::Kind::integer) return out;
    out.push_back(operand());
    while (lexer_.accept(",")) out.push_back(operand());
    return out;
  }

  std::vector<TaskId> after() {
    std::vector<TaskId> out;
    if (!lexer_.accept("after")) return out;
    while (lexer_.peek().kind == Lexer::Kind::integer) {
      out.push_back(TaskId(number("a task", out.empty() ? 0 : out.back().value + 1,
                                  static_cast<int64_t>(graph_.tasks.size()))));
    }
    return out;
  }

  void read_site() {
    in_order(lexer_.integer("a site"), graph_.memory.size());
    lexer_.expect("arena");
    SiteMemory memory{.arena = bytes("bytes")};
    lexer_.expect("workspace");
    memory.workspace = bytes("bytes");
    graph_.memory.push_back(memory);
  }

  void read_buffer() {
    in_order(lexer_.integer("a buffer"), graph_.buffers.size());
    const std::string role = lexer_.identifier("temporary, input or parameter");
    const auto found =
        std::ranges::find_if(kRoles, [&](Buffer::Role r) { return einsummable::name(r) == role; });
    if (found == kRoles.end()) lexer_.fail("a buffer is temporary, input or parameter");
    Buffer out;
    out.role = *found;
    out.site = site();
    const auto dtype = dtype_from_name(lexer_.identifier("a dtype"));
    if (!dtype) lexer_.fail("the dtype before this is unknown");
    out.dtype = *dtype;
    out.tensor = tensor();
    out.box = box();
    lexer_.expect("offset");
    out.offset = number("an offset", -1, int64_t{1} << 62);
    try {
      out.bytes();
    } catch (const Error& error) {
      lexer_.fail(error.what());
    }
    graph_.buffers.push_back(std::move(out));
  }

  void read_load() {
    const TensorId id = tensor();
    lexer_.expect("buffer");
    graph_.loads.push_back({id, buffer()});
  }

  void read_view() {
    View out;
    out.site = site();
    out.op = op();
    out.cell = cell(out.op);
    lexer_.expect("in");
    out.input = operand();
    lexer_.expect("out");
    out.output = operand();
    graph_.views.push_back(std::move(out));
  }

  void read_offload() {
    Offload out;
    out.save = static_cast<int32_t>(
        number("a saved tensor", 0, static_cast<int64_t>(graph_.graph().saves().size())));
    out.box = box();
    lexer_.expect("from");
    out.from = operand();
    out.after = after();
    graph_.offloads.push_back(std::move(out));
  }

  void read_task() {
    in_order(lexer_.integer("a task, site, buffer, load, view or offload"), graph_.tasks.size());
    const std::string word = lexer_.identifier("a kind of task");
    const auto found = std::ranges::find_if(
        kKinds, [&](Task::Kind kind) { return einsummable::name(kind) == word; });
    if (found == kKinds.end()) lexer_.fail("there is no kind of task called " + word);
    Task task{.kind = *found, .site = site(), .reads = {}, .writes = {}, .after = {}};
    while (task.kind == Task::Kind::kernel && lexer_.peek().kind == Lexer::Kind::string) {
      task.steps.push_back(step());
    }
    if (task.kind != Task::Kind::kernel) task.tensor = tensor();
    if (lexer_.accept("parts")) {
      task.parts = static_cast<int32_t>(number("a number of parts", 1, 1 << 20));
    }
    if (lexer_.accept("workspace")) task.workspace = bytes("bytes");
    lexer_.expect("in");
    task.reads = operands();
    lexer_.expect("out");
    task.writes = operands();
    task.after = after();
    graph_.tasks.push_back(std::move(task));
  }

  KernelStep step() {
    KernelStep out{.op = op(), .inputs = {}};
    out.cell = cell(out.op);
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      if (!out.inputs.empty()) lexer_.expect(",");
      if (lexer_.accept("step")) {
        out.inputs.push_back({.step = static_cast<int32_t>(number("a step", 0, 1 << 20))});
      } else {
        lexer_.expect("in");
        out.inputs.push_back({.read = static_cast<int32_t>(number("an operand", 0, 1 << 20))});
      }
    }
    return out;
  }

  Lexer lexer_;
  TaskGraph graph_;
};

}  // namespace

TaskGraph parse_task_graph(std::string_view text, std::shared_ptr<const PhysicalPlan> plan) {
  try {
    return TaskGraphReader(text, std::move(plan)).read();
  } catch (const SyntaxError& error) {
    throw PlanError(std::string("task graph text, ") + error.what());
  }
}

}  // namespace einsummable
