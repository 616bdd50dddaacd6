// SPDX-License-Identifier: Apache-2.0
#include "einsummable/plan.h"

#include <array>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/physical/text.h"
#include "einsummable/task/verify.h"

namespace einsummable {
namespace {

constexpr std::string_view kHead = "einsummable plan 1\n";
constexpr std::array<std::string_view, 3> kSections = {"--- graph\n", "--- logical\n",
                                                       "--- physical\n"};

// The text between the marks of a section and the next.
std::string_view section(std::string_view text, size_t which) {
  const size_t mark = text.find(kSections[which]);
  if (mark == std::string_view::npos || (mark > 0 && text[mark - 1] != '\n')) {
    throw PlanError("plan file: the section '" +
                    std::string(kSections[which].substr(4, kSections[which].size() - 5)) +
                    "' is missing");
  }
  const size_t start = mark + kSections[which].size();
  const size_t end = which + 1 < kSections.size() ? text.find(kSections[which + 1], start)
                                                  : std::string_view::npos;
  return text.substr(start, end == std::string_view::npos ? end : end - start);
}

std::string line_at(std::string_view text, size_t position) {
  const size_t start = text.rfind('\n', position == 0 ? 0 : position - 1);
  const size_t from = start == std::string_view::npos ? 0 : start + 1;
  return std::string(text.substr(from, text.find('\n', from) - from));
}

}  // namespace

std::string fingerprint(const PhysicalPlan& plan) {
  uint64_t hash = 0xcbf29ce484222325;
  std::string of = text(*plan.graph) + "devices " + std::to_string(plan.sites);
  if (plan.partial_dtype) of += " partial_dtype " + std::string(short_name(*plan.partial_dtype));
  for (char c : of) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += digits[(hash >> shift) & 15];
  return out;
}

std::string plan_file(const Plan& plan) {
  return std::string(kHead) + "fingerprint " + fingerprint(*plan.physical) + "\n" +
         std::string(kSections[0]) + text(*plan.graph) + std::string(kSections[1]) +
         text(plan.logical, *plan.graph) + std::string(kSections[2]) + text(*plan.physical);
}

Plan parse_plan_file(std::string_view file) {
  if (!file.starts_with(kHead)) {
    throw PlanError("plan file: the first line must be 'einsummable plan 1'");
  }
  Plan plan;
  try {
    plan.graph = std::make_shared<const Graph>(parse_graph(section(file, 0)));
    verify(*plan.graph);
  } catch (const GraphError& error) {
    throw PlanError(std::string("plan file: ") + error.what());
  }
  plan.logical = parse_logical_plan(section(file, 1), *plan.graph);
  verify(plan.logical, *plan.graph);
  plan.physical = std::make_shared<const PhysicalPlan>(
      parse_physical_plan(section(file, 2), plan.graph, specs_of(plan.logical)));
  if (plan.physical->sites != plan.logical.p) {
    throw PlanError("plan file: the logical plan is for p = " + std::to_string(plan.logical.p) +
                    ", the physical one for " + std::to_string(plan.physical->sites) + " sites");
  }
  const std::string expected = "fingerprint " + fingerprint(*plan.physical);
  if (line_at(file, kHead.size() + 1) != expected) {
    throw PlanError(
        "plan file: the fingerprint is not that of the graph, devices and partial_dtype; it must "
        "be '" +
        expected + "'");
  }
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
