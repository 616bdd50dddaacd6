// SPDX-License-Identifier: Apache-2.0
#include "einsummable/plan.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/physical/text.h"
#include "einsummable/task/verify.h"
#include "einsummable/topology/machine_file.h"

namespace einsummable {
namespace {

constexpr std::string_view kHead = "einsummable plan 1\n";
constexpr std::string_view kGraph = "--- graph\n", kMachine = "--- machine\n",
                           kLogical = "--- logical\n", kPhysical = "--- physical\n";
constexpr std::array kSections = {kGraph, kMachine, kLogical, kPhysical};

// Where a section's mark is; npos if it is nowhere.
size_t find_mark(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at != std::string_view::npos && at > 0 && text[at - 1] == '\n' ? at
                                                                        : std::string_view::npos;
}

// The text between the mark of a section and the next.
std::string_view section(std::string_view text, std::string_view mark) {
  const size_t at = find_mark(text, mark);
  if (at == std::string_view::npos) {
    throw PlanError("plan file: the section '" + std::string(mark.substr(4, mark.size() - 5)) +
                    "' is missing");
  }
  const size_t start = at + mark.size();
  size_t end = text.size();
  for (auto next = std::ranges::find(kSections, mark) + 1; next != kSections.end(); ++next) {
    end = std::min(end, text.find(*next, start));
  }
  return text.substr(start, end - start);
}

std::string line_at(std::string_view text, size_t position) {
  const size_t start = text.rfind('\n', position == 0 ? 0 : position - 1);
  const size_t from = start == std::string_view::npos ? 0 : start + 1;
  return std::string(text.substr(from, text.find('\n', from) - from));
}

// "devices 0 1 2", then the machine's file.
std::string text(const MachineSites& sites) {
  std::string out = "devices";
  for (int64_t device : sites.devices) out += " " + std::to_string(device);
  return out + "\n" + print(sites.machine);
}

std::shared_ptr<const MachineSites> parse_machine_sites(std::string_view text, int64_t p) {
  MachineSites out;
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  const auto refuse = [&] {
    throw PlanError("plan file: the machine begins with 'devices' and a number for each of " +
                    std::to_string(p) + " sites");
  };
  if (!line.starts_with("devices")) refuse();
  for (line.remove_prefix(7); !line.empty();) {
    int64_t device = 0;
    const auto [rest, error] = std::from_chars(line.data() + 1, line.data() + line.size(), device);
    if (line[0] != ' ' || error != std::errc() || device < 0) refuse();
    out.devices.push_back(device);
    line.remove_prefix(static_cast<size_t>(rest - line.data()));
  }
  if (static_cast<int64_t>(out.devices.size()) != p) refuse();
  out.machine = parse_machine(text.substr(std::min(end + 1, text.size())), "the plan's machine");
  resolve(out.machine, out.devices);  // or it says what is wrong
  return std::make_shared<const MachineSites>(std::move(out));
}

// The lines between the first one and the graph.
void read_head(std::string_view file, Plan& plan) {
  constexpr std::string_view field = "objective ";
  const std::string line = line_at(file, file.find('\n', kHead.size()) + 2);
  const auto objective = line.starts_with(field)
                             ? find_objective(std::string_view(line).substr(field.size()))
                             : std::nullopt;
  if (!objective) {
    throw PlanError("plan file: the third line must be 'objective time' or 'objective proxy'");
  }
  plan.objective = *objective;
  const std::string expected = "fingerprint " + fingerprint(plan);
  if (line_at(file, kHead.size() + 1) != expected) {
    throw PlanError(
        "plan file: the fingerprint is not that of the graph, devices, partial_dtype, objective "
        "and machine; it must be '" +
        expected + "'");
  }
}

}  // namespace

std::string_view name(Objective objective) {
  return objective == Objective::proxy ? "proxy" : "time";
}

std::optional<Objective> find_objective(std::string_view text) {
  for (Objective objective : {Objective::proxy, Objective::time}) {
    if (name(objective) == text) return objective;
  }
  return std::nullopt;
}

std::string fingerprint(const Plan& plan) {
  uint64_t hash = 0xcbf29ce484222325;
  std::string of = text(*plan.graph) + "devices " + std::to_string(plan.physical->sites);
  const auto& partial = plan.physical->partial_dtype;
  if (partial) of += " partial_dtype " + std::string(short_name(*partial));
  of += " objective " + std::string(name(plan.objective)) + "\n";
  if (plan.machine) of += text(*plan.machine);
  for (char c : of) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += digits[(hash >> shift) & 15];
  return out;
}

std::string plan_file(const Plan& plan) {
  std::string out = std::string(kHead) + "fingerprint " + fingerprint(plan) + "\nobjective " +
                    std::string(name(plan.objective)) + "\n";
  out += std::string(kGraph) + text(*plan.graph);
  if (plan.machine) out += std::string(kMachine) + text(*plan.machine);
  return out + std::string(kLogical) + text(plan.logical, *plan.graph) + std::string(kPhysical) +
         text(*plan.physical);
}

Plan parse_plan_file(std::string_view file) {
  if (!file.starts_with(kHead)) {
    throw PlanError("plan file: the first line must be 'einsummable plan 1'");
  }
  Plan plan;
  try {
    plan.graph = std::make_shared<const Graph>(parse_graph(section(file, kGraph)));
    verify(*plan.graph);
  } catch (const GraphError& error) {
    throw PlanError(std::string("plan file: ") + error.what());
  }
  plan.logical = parse_logical_plan(section(file, kLogical), *plan.graph);
  verify(plan.logical, *plan.graph);
  if (find_mark(file, kMachine) != std::string_view::npos) {
    plan.machine = parse_machine_sites(section(file, kMachine), plan.logical.p);
  }
  plan.physical = std::make_shared<const PhysicalPlan>(
      parse_physical_plan(section(file, kPhysical), plan.graph, specs_of(plan.logical)));
  if (plan.physical->sites != plan.logical.p) {
    throw PlanError("plan file: the logical plan is for p = " + std::to_string(plan.logical.p) +
                    ", the physical one for " + std::to_string(plan.physical->sites) + " sites");
  }
  read_head(file, plan);
  const VerifyReport report = examine(*plan.physical);
  for (const Check& check : report.checks) {
    if (!check.detail.empty()) throw PlanError("plan file: " + check.name + ": " + check.detail);
  }
  return plan;
}

void require_plan_of(const Plan& plan, const Graph& graph) {
  const std::string made = text(*plan.graph), given = text(prune(graph));
  if (made == given) return;
  size_t at = 0;
  while (at < made.size() && at < given.size() && made[at] == given[at]) ++at;
  throw PlanError("the plan is for another graph: it has '" + line_at(made, at) +
                  "' where this one has '" + line_at(given, at) + "'");
}

}  // namespace einsummable
