// SPDX-License-Identifier: Apache-2.0
#include "einsummable/physical/text.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "einsummable/base/syntax_error.h"
#include "einsummable/base/text.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/logical/logical_plan.h"
#include "einsummable/physical/holdings.h"
#include "einsummable/physical/pieces.h"
#include "einsummable/physical/planner.h"

namespace einsummable {
namespace {

std::string derivation_text(const exchange::Program& program, const Derivation& derivation) {
  std::string out = "derive " + exchange::aggregate_text(program, derivation.aggregate) + " @ " +
                    std::to_string(derivation.site.value);
  if (derivation.source.valid()) {
    return out + " received " + std::to_string(derivation.source.value) + "\n";
  }
  std::vector<std::string> parts;
  for (exchange::AggregateId part : derivation.parts) {
    parts.push_back(exchange::aggregate_text(program, part));
  }
  return out + " from " + join(parts, ", ") + "\n";
}

std::string step_text(const PhysicalPlan& plan, const ExchangeStep& step) {
  if (step.regions.empty()) return "";
  const std::string head =
      step.save < 0
          ? "op " + std::to_string(step.op.value) + " " + quote(plan.graph->op(step.op).name)
          : "save " + std::to_string(step.save) + " " +
                quote(plan.graph->saves()[static_cast<size_t>(step.save)].name);
  std::string out = "step " + head + "\n";
  std::istringstream program(exchange::print(step.program));
  for (std::string line; std::getline(program, line);) out += "| " + line + "\n";
  const StepInPieces pieces(step);
  for (const Derivation& derivation : step.derivations) {
    out += derivation_text(pieces->program, derivation);
  }
  return out;
}

// The lines of a text, with their numbers.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) { advance(); }

  bool at_end() const { return !line_; }
  int number() const { return number_; }
  bool starts_with(std::string_view word) const { return line_ && line_->starts_with(word); }
  std::string_view take() {
    const std::string_view line = *line_;
    advance();
    return line;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw PlanError("physical plan text, line " + std::to_string(number_) + ": " + what);
  }

 private:
  void advance() {
    line_.reset();
    ++number_;
    if (rest_.empty()) return;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }

  std::string_view rest_;
  std::optional<std::string_view> line_;
  int number_ = 0;
};

class PhysicalPlanReader {
 public:
  PhysicalPlanReader(std::string_view text, std::shared_ptr<const Graph> graph,
                     std::vector<JoinAggSpec> specs)
      : lines_(text) {
    plan_.graph = std::move(graph);
    plan_.specs = std::move(specs);
  }

  PhysicalPlan read() {
    read_line("physical", [&](Lexer& lexer) {
      if (lexer.integer("a version") != 1) lexer.fail("this version reads plans of version 1");
    });
    read_line("sites",
              [&](Lexer& lexer) { plan_.sites = number(lexer, 1, kMaximalProcessors + 1); });
    if (lines_.starts_with("partial_dtype")) read_partial_dtype();
    for (size_t i = 0; i < plan_.graph->ops().size(); ++i) read_placement(i);
    plan_.fetches.resize(plan_.graph->saves().size());
    while (lines_.starts_with("fetch ")) read_fetch();
    Holdings holdings(*plan_.graph);
    for (size_t i = 0; i < plan_.graph->ops().size(); ++i) {
      const OpId op(static_cast<int64_t>(i));
      plan_.steps.push_back(step_of_op(plan_, op, holdings));
      read_step("op " + std::to_string(i) + " " + quote(plan_.graph->ops()[i].name));
      apply(plan_, plan_.steps.back(), holdings);
    }
    for (size_t s = 0; s < plan_.graph->saves().size(); ++s) {
      check_fetches(s, holdings);
      plan_.steps.push_back(step_of_save(plan_, s, holdings));
      read_step("save " + std::to_string(s) + " " + quote(plan_.graph->saves()[s].name));
      apply(plan_, plan_.steps.back(), holdings);
    }
    if (!lines_.at_end()) lines_.fail("nothing follows the last step");
    return std::move(plan_);
  }

 private:
  template <class Read>
  void read_line(std::string_view word, const Read& read) {
    if (lines_.at_end()) lines_.fail("'" + std::string(word) + "' comes next, not the end");
    const int line = lines_.number();
    try {
      Lexer lexer(lines_.take());
      lexer.expect(word);
      read(lexer);
      lexer.end_line();
    } catch (const SyntaxError& error) {
      const std::string_view what = error.what();
      throw PlanError("physical plan text, line " + std::to_string(line) + ", column " +
                      std::to_string(error.column()) + std::string(what.substr(what.find(": "))));
    }
  }

  static int64_t number(Lexer& lexer, int64_t least, int64_t below) {
    const int64_t value = lexer.integer("a number");
    if (value < least || value >= below) {
      lexer.fail("a number of at least " + std::to_string(least) + " and less than " +
                 std::to_string(below) + " belongs here");
    }
    return value;
  }
  SiteId site(Lexer& lexer) const { return SiteId(number(lexer, 0, plan_.sites)); }

  void read_partial_dtype() {
    read_line("partial_dtype", [&](Lexer& lexer) {
      const auto dtype = dtype_from_name(lexer.identifier("a dtype"));
      if (!dtype || !is_float(*dtype)) lexer.fail("a float dtype: f32, f64, f16 or bf16");
      plan_.partial_dtype = dtype;
    });
  }

  void read_placement(size_t i) {
    const std::string& name = plan_.graph->ops()[i].name;
    read_line("place", [&](Lexer& lexer) {
      if (lexer.string("an operator's name") != name) {
        lexer.fail("the placement of " + quote(name) + " comes next");
      }
      std::vector<SiteId> sites;
      while (lexer.peek().kind == Lexer::Kind::integer) sites.push_back(site(lexer));
      std::vector<SiteId> sorted = sites;
      std::ranges::sort(sorted);
      if (static_cast<int64_t>(sites.size()) != plan_.specs[i].cells() ||
          std::ranges::adjacent_find(sorted) != sorted.end()) {
        lexer.fail(quote(name) + " needs " + std::to_string(plan_.specs[i].cells()) +
                   " different sites");
      }
      plan_.placement.push_back(std::move(sites));
    });
  }

  void read_fetch() {
    read_line("fetch", [&](Lexer& lexer) {
      const int64_t save = number(lexer, 0, static_cast<int64_t>(plan_.fetches.size()));
      lexer.expect("site");
      Resident fetch{site(lexer), {}};
      lexer.expect("[");
      while (!lexer.accept("]")) {
        if (!fetch.box.empty()) lexer.expect(",");
        const int64_t lo = number(lexer, 0, int64_t{1} << 62);
        lexer.expect(":");
        fetch.box.push_back({lo, number(lexer, lo, int64_t{1} << 62)});
      }
      plan_.fetches[static_cast<size_t>(save)].push_back(std::move(fetch));
    });
  }

  // What is fetched follows from what the producer left; from where is the plan's own choice.
  void check_fetches(size_t s, const Holdings& holdings) const {
    const GraphSave& save = plan_.graph->saves()[s];
    const auto boxes = [](const std::vector<Resident>& fetches) {
      std::vector<Box> out;
      for (const Resident& fetch : fetches) out.push_back(fetch.box);
      return out;
    };
    if (boxes(plan_.fetches[s]) != boxes(fetches_of(plan_, save.tensor, holdings))) {
      throw PlanError("physical plan text: what is fetched of " + quote(save.name) +
                      " is not what its producer left");
    }
  }

  // A program whose derivations are read: its atoms by name, and how many aggregates it has.
  struct Pieces {
    explicit Pieces(exchange::Program expanded)
        : program(std::move(expanded)), aggregates(program.aggregate_count()) {
      for (size_t a = 0; a < program.atoms().size(); ++a) {
        atoms.emplace(program.atoms()[a].name, exchange::AtomId(static_cast<int64_t>(a)));
      }
    }

    exchange::Program program;
    size_t aggregates;
    std::map<std::string, exchange::AtomId> atoms = {};
  };

  void read_step(const std::string& head) {
    ExchangeStep& step = plan_.steps.back();
    if (step.regions.empty()) return;
    if (!lines_.starts_with("step " + head)) lines_.fail("step " + head + " comes next");
    lines_.take();
    std::string text;
    while (lines_.starts_with("| ")) text += std::string(lines_.take().substr(2)) + "\n";
    exchange::ParseVerdict parsed = exchange::parse(text);
    if (!parsed.ok) {
      throw PlanError("physical plan text, the program of " + head + ", line " +
                      std::to_string(parsed.line) + ": " + parsed.reason);
    }
    if (!(exchange::preamble_of(parsed.program) == step.program)) {
      throw PlanError("physical plan text, the program of " + head +
                      ": its preamble is not that of the graph, specs and placement");
    }
    take_program(step, std::move(parsed.program));
    Pieces pieces(exchange::expand(step.program));
    while (lines_.starts_with("derive ")) read_derivation(pieces, step);
  }

  // Puts a program of the same preamble in the place of the step's: regions name its atoms.
  static void take_program(ExchangeStep& step, exchange::Program program) {
    std::map<std::string, exchange::AtomId> atoms;
    for (size_t a = 0; a < program.atoms().size(); ++a) {
      atoms[program.atoms()[a].name] = exchange::AtomId(static_cast<int64_t>(a));
    }
    for (Region& region : step.regions) {
      for (exchange::AtomId& atom : region.atoms) atom = atoms.at(step.program.atom(atom).name);
      region.complete = program.aggregate(region.atoms);
    }
    step.program = std::move(program);
  }

  static exchange::AggregateId aggregate(Lexer& lexer, Pieces& pieces) {
    std::vector<exchange::AtomId> atoms;
    do {
      const std::string name = lexer.identifier("an atom");
      const auto found = pieces.atoms.find(name);
      if (found == pieces.atoms.end()) lexer.fail("there is no atom " + name);
      atoms.push_back(found->second);
    } while (lexer.accept("+"));
    std::vector<exchange::AtomId> sorted = atoms;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) lexer.fail("an atom twice");
    const exchange::AggregateId id = pieces.program.aggregate(atoms);
    if (id.index() >= pieces.aggregates) lexer.fail("the program never names this aggregate");
    return id;
  }

  void read_derivation(Pieces& pieces, ExchangeStep& step) {
    read_line("derive", [&](Lexer& lexer) {
      Derivation out{.aggregate = aggregate(lexer, pieces), .site = {}};
      lexer.expect("@");
      out.site = site(lexer);
      if (lexer.accept("received")) {
        out.source = site(lexer);
      } else {
        lexer.expect("from");
        do {
          out.parts.push_back(aggregate(lexer, pieces));
        } while (lexer.accept(","));
      }
      step.derivations.push_back(std::move(out));
    });
  }

  Lines lines_;
  PhysicalPlan plan_;
};

}  // namespace

std::string text(const PhysicalPlan& plan) {
  std::string out = "physical 1\nsites " + std::to_string(plan.sites) + "\n";
  if (plan.partial_dtype) {
    out += "partial_dtype " + std::string(short_name(*plan.partial_dtype)) + "\n";
  }
  for (size_t i = 0; i < plan.placement.size(); ++i) {
    out += "place " + quote(plan.graph->ops()[i].name);
    for (SiteId site : plan.placement[i]) out += " " + std::to_string(site.value);
    out += "\n";
  }
  for (size_t s = 0; s < plan.fetches.size(); ++s) {
    for (const Resident& fetch : plan.fetches[s]) {
      out += "fetch " + std::to_string(s) + " site " + std::to_string(fetch.site.value) + " " +
             text(fetch.box) + "\n";
    }
  }
  for (const ExchangeStep& step : plan.steps) out += step_text(plan, step);
  return out;
}

PhysicalPlan parse_physical_plan(std::string_view text, std::shared_ptr<const Graph> graph,
                                 std::vector<JoinAggSpec> specs) {
  return PhysicalPlanReader(text, std::move(graph), std::move(specs)).read();
}

}  // namespace einsummable
