// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/checked.h"
#include "einsummable/base/syntax_error.h"
#include "einsummable/base/text.h"
#include "einsummable/logical/logical_plan.h"

namespace einsummable {
namespace {

std::string cost_text(const Cost& cost) {
  return std::to_string(cost.main) + " " + std::to_string(cost.aggregations) + " " +
         std::to_string(cost.replicated);
}

std::string cuts_text(const Cuts& cuts) {
  std::vector<std::string> parts;
  for (int64_t position : cuts) parts.push_back(std::to_string(position));
  return "{" + join(parts, ", ") + "}";
}

}  // namespace

std::string text(const LogicalPlan& plan, const Graph& graph) {
  std::string out = "logical 1\np " + std::to_string(plan.p) + "\nselector " +
                    std::string(name_of(plan.selector)) + "\ncost " + cost_text(plan.cost) + "\n";
  if (plan.bound) out += "bound " + cost_text(*plan.bound) + "\n";
  out += "width " + std::to_string(plan.width) + "\n";
  for (size_t i = 0; i < plan.ops.size(); ++i) {
    const JoinAggSpec& spec = *plan.ops[i].spec;
    out += "spec " + quote(graph.ops()[i].name);
    if (!spec.signature().name.empty()) out += " by " + quote(spec.signature().name);
    for (size_t k = 0; k < spec.cuts().size(); ++k) {
      if (count_of(spec.cuts()[k]) == 1) continue;
      out += " " + spec.signature().indices[k].name + " " + cuts_text(spec.cuts()[k]);
    }
    if (!plan.ops[i].reason.empty()) out += " reason " + quote(plan.ops[i].reason);
    out += "\n";
  }
  return out;
}

namespace {

class PlanReader {
 public:
  PlanReader(std::string_view text, const Graph& graph) : lexer_(text), graph_(graph) {}

  LogicalPlan read() {
    header();
    plan_.ops.resize(graph_.ops().size());
    while (lexer_.accept("spec")) spec();
    if (!lexer_.at_end()) lexer_.fail("a line \"spec\" or the end");
    for (size_t i = 0; i < plan_.ops.size(); ++i) {
      if (!plan_.ops[i].spec) {
        throw PlanError("the plan has no spec for " + quote(graph_.ops()[i].name));
      }
    }
    if (plan_.bound && *plan_.bound > plan_.cost) throw PlanError("bound: it is above the cost");
    const Cost said = plan_.cost;
    add_costs(plan_, graph_);
    if (said != plan_.cost) {
      throw PlanError("cost: the file says " + cost_text(said) + ", its specs cost " +
                      cost_text(plan_.cost));
    }
    return std::move(plan_);
  }

 private:
  void header() {
    lexer_.expect("logical");
    if (lexer_.integer("the version") != 1) lexer_.fail("version 1");
    lexer_.end_line();
    lexer_.expect("p");
    plan_.p = lexer_.integer("the number of processors");
    check_processors(plan_.p);
    lexer_.end_line();
    lexer_.expect("selector");
    const auto selector = find_selector(lexer_.peek().text);
    if (!selector) lexer_.fail("a selector: optimal, paper, greedy or random");
    plan_.selector = *selector;
    lexer_.next();
    lexer_.end_line();
    lexer_.expect("cost");
    plan_.cost = cost();
    if (lexer_.accept("bound")) plan_.bound = cost();
    lexer_.expect("width");
    plan_.width = static_cast<int>(lexer_.integer("the width"));
    lexer_.end_line();
  }

  Cost cost() {
    Cost out;
    out.main = lexer_.integer("elements");
    out.aggregations = lexer_.integer("aggregations");
    out.replicated = lexer_.integer("replicated elements");
    lexer_.end_line();
    return out;
  }

  void spec() {
    const std::string name = lexer_.string("the name of an operator");
    const OpId op = graph_.find_op(name);
    if (!op.valid()) throw PlanError("the graph has no operator called " + quote(name));
    PlannedOp& planned = plan_.ops[op.index()];
    if (planned.spec) throw PlanError("the plan has two specs for " + quote(name));
    const std::shared_ptr<const Signature> signature = signature_of(op);
    std::vector<Cuts> cuts;
    for (const Index& index : signature->indices) cuts.push_back(uncut(index));
    while (lexer_.peek().kind == Lexer::Kind::identifier && !lexer_.at("reason")) {
      const std::string index = lexer_.identifier("an index");
      const int32_t position = find_index(*signature, index);
      if (position < 0) throw PlanError(quote(name) + " has no index called " + index);
      cuts[static_cast<size_t>(position)] = read_cuts();
    }
    if (lexer_.accept("reason")) planned.reason = lexer_.string("the reason");
    lexer_.end_line();
    planned.spec = legal_spec(name, signature, std::move(cuts));
  }

  std::shared_ptr<const Signature> signature_of(OpId op) {
    const std::string name = lexer_.accept("by") ? lexer_.string("a signature's name") : "";
    for (Signature& signature : graph_.op(op).op->signatures()) {
      if (signature.name == name) {
        return std::make_shared<const Signature>(std::move(signature));
      }
    }
    throw PlanError(quote(graph_.op(op).name) + " cannot be cut by " + quote(name));
  }

  Cuts read_cuts() {
    Cuts cuts;
    lexer_.expect("{");
    do {
      cuts.push_back(lexer_.integer("a position"));
    } while (lexer_.accept(","));
    lexer_.expect("}");
    return cuts;
  }

  std::shared_ptr<const JoinAggSpec> legal_spec(const std::string& name,
                                                const std::shared_ptr<const Signature>& signature,
                                                std::vector<Cuts> cuts) {
    int64_t cells = 1;
    for (size_t i = 0; i < cuts.size(); ++i) {
      const Index& index = signature->indices[i];
      if (!is_legal(index, cuts[i])) {
        throw PlanError(quote(name) + " cannot be cut along " + index.name + " at " +
                        cuts_text(cuts[i]));
      }
      const int64_t count = count_of(cuts[i]);
      const auto outer = static_cast<size_t>(std::max(index.within, 0));
      if (index.within >= 0 && count > 1 &&
          count_of(cuts[outer]) != signature->indices[outer].extent) {
        throw PlanError(quote(name) + " can be cut along " + index.name + " only where " +
                        signature->indices[outer].name + " is in units");
      }
      const auto product = try_multiply(cells, count);
      if (!product || *product > plan_.p) {
        throw PlanError(quote(name) + " has more cells than the plan has processors, " +
                        std::to_string(plan_.p));
      }
      cells = *product;
    }
    return std::make_shared<const JoinAggSpec>(signature, std::move(cuts));
  }

  Lexer lexer_;
  const Graph& graph_;
  LogicalPlan plan_;
};

}  // namespace

LogicalPlan parse_logical_plan(std::string_view text, const Graph& graph) {
  try {
    return PlanReader(text, graph).read();
  } catch (const SyntaxError& error) {
    throw PlanError(error.what());
  }
}

}  // namespace einsummable
