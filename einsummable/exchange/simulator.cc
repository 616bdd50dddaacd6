// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/simulator.h"

#include <algorithm>

#include "einsummable/base/checked.h"
#include "einsummable/base/error.h"
#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/expand.h"
#include "einsummable/exchange/parts.h"
#include "einsummable/exchange/sends.h"

namespace einsummable::exchange {
namespace {

size_t index(int32_t i) { return static_cast<size_t>(i); }
int32_t narrow(size_t n) { return static_cast<int32_t>(n); }

constexpr std::string_view too_hard =
    "too hard: the ways to put its aggregates together are too many to search";

// A program with the choices open that simulated time decides: items are all that comes to be,
// transfers all that are asked for, and the parts of a form all it could be made of.
struct OpenProgram {
  Lowered lowered;
  std::vector<Derivation> items;  // of each item; the aggregate and the site count
};

class Opening {
 public:
  Opening(const Program& program, const Members& members, const Verdict& verdict, Budget& budget)
      : program_(program),
        members_(members),
        budget_(budget),
        sorted_(sorted(verdict.derivations)),
        items_(program, sorted_),
        finder_(program) {}

  OpenProgram run() {
    for (const Derivation& d : sorted_) {
      out_.items.push_back(
          {d.site.value, d.kind == Derivation::Kind::given, program_.bytes(d.aggregate)});
    }
    each_send(program_, members_, [&](const Send& send) {
      out_.transfers.push_back({items_.find(send.aggregate, send.source),
                                items_.find(send.aggregate, send.destination)});
    });
    add_forms();
    return {std::move(out_), std::move(sorted_)};
  }

 private:
  static std::vector<Derivation> sorted(std::vector<Derivation> all) {
    std::ranges::sort(all, {}, [](const Derivation& d) { return std::pair(d.aggregate, d.site); });
    return all;
  }

  void add_forms() {
    for (size_t a = 0; a < program_.aggregate_count(); ++a) {
      const AggregateId aggregate(static_cast<int64_t>(a));
      if (items_.first(aggregate) < items_.end(aggregate)) finder_.add(aggregate);
    }
    std::vector<bool> formed(out_.items.size(), false);
    for (const Action& action : program_.body()) {
      if (program_.atoms(action.aggregate).size() < 2) continue;
      each_site(action.source, members_, [&](SiteId site) {
        const int32_t item = items_.find(action.aggregate, site);
        if (formed[index(item)] || out_.items[index(item)].given) return;
        formed[index(item)] = true;
        add_form(action.aggregate, site, item);
      });
    }
  }

  void add_form(AggregateId aggregate, SiteId site, int32_t item) {
    if (aggregate != inside_of_) {
      inside_ = finder_.inside(aggregate, budget_);
      inside_of_ = aggregate;
    }
    budget_.spend_steps(narrow(inside_.size()));
    if (budget_.spent()) throw ExchangeError(std::string(too_hard));
    Lowered::Form form{item, narrow(out_.parts.size()), 0};
    for (AggregateId part : inside_) {
      const int32_t there = items_.find(part, site);
      if (there >= 0) out_.parts.push_back(there);
    }
    form.part_count = narrow(out_.parts.size()) - form.first_part;
    if (form.part_count > 0) out_.forms.push_back(form);
  }

  const Program& program_;
  const Members& members_;
  Budget& budget_;
  std::vector<Derivation> sorted_;
  ItemIndex items_;
  PartsFinder finder_;
  Lowered out_;
  AggregateId inside_of_;
  std::vector<AggregateId> inside_;
};

// Follows which parts of each form are there, and chooses among them once they cover it.
class Choice final : public PartsChoice {
 public:
  Choice(const Program& program, const OpenProgram& open, Budget& budget)
      : program_(program), open_(open), budget_(budget), finder_(program) {
    int64_t atoms = 0;
    for (const Lowered::Form& form : open.lowered.forms) {
      forms_.push_back({atoms});
      atoms += narrow(whole(form).size());
    }
    covered_.assign(static_cast<size_t>(atoms), false);
  }

  void arrived(int32_t form, int32_t part) override {
    Form& state = forms_[index(form)];
    state.there.push_back(part);
    const auto atoms = whole(open_.lowered.forms[index(form)]);
    auto at = atoms.begin();
    for (AtomId atom : program_.atoms(open_.items[index(part)].aggregate)) {
      at = std::lower_bound(at, atoms.end(), atom);
      auto covered = covered_[static_cast<size_t>(state.first + (at - atoms.begin()))];
      state.covered += covered ? 0 : 1;
      covered = true;
    }
  }

  std::span<const int32_t> choose(int32_t form) override {
    Form& state = forms_[index(form)];
    const Derivation& result = open_.items[index(open_.lowered.forms[index(form)].item)];
    if (state.covered < narrow(program_.atoms(result.aggregate).size())) return {};
    candidates_.clear();
    for (int32_t item : state.there) candidates_.push_back(open_.items[index(item)].aggregate);
    const Parts parts = finder_.choose(result.aggregate, candidates_, budget_);
    if (parts.outcome == Cover::Outcome::too_hard) throw ExchangeError(std::string(too_hard));
    state.chosen.clear();
    for (AggregateId part : parts.aggregates) {
      const auto at = std::ranges::find(candidates_, part) - candidates_.begin();
      state.chosen.push_back(state.there[static_cast<size_t>(at)]);
    }
    return state.chosen;
  }

  std::span<const int32_t> chosen(int32_t form) const { return forms_[index(form)].chosen; }

 private:
  struct Form {
    int64_t first = 0;                 // its atoms in covered_
    int32_t covered = 0;               // of its atoms, by what is there
    std::vector<int32_t> there = {};   // items
    std::vector<int32_t> chosen = {};  // items, by name
  };

  std::span<const AtomId> whole(const Lowered::Form& form) const {
    return program_.atoms(open_.items[index(form.item)].aggregate);
  }

  const Program& program_;
  const OpenProgram& open_;
  Budget& budget_;
  PartsFinder finder_;
  std::vector<Form> forms_;
  std::vector<bool> covered_;
  std::vector<AggregateId> candidates_;
};

// Writes down what a run of the loop did.
class Report {
 public:
  Report(const SimulatorLoop& loop, const OpenProgram& open, const Choice& choice, Simulation& out)
      : loop_(loop), open_(open), choice_(choice), out_(out) {}

  void write(const Topology& topology) {
    write_timeline();
    write_load(topology);
    write_derivations();
  }

 private:
  const Derivation& item(int32_t i) const { return open_.items[index(i)]; }
  int32_t transfers() const { return narrow(open_.lowered.transfers.size()); }

  Simulation::Step transfer(int32_t id) const {
    const Lowered::Transfer& t = open_.lowered.transfers[index(id)];
    Simulation::Step step{.aggregate = item(t.from).aggregate,
                          .site = item(t.from).site,
                          .destination = item(t.to).site};
    step.bytes = open_.lowered.items[index(t.from)].bytes;
    return step;
  }

  Simulation::Step form(int32_t id) {
    const Lowered::Form& f = open_.lowered.forms[index(id)];
    Simulation::Step step{.aggregate = item(f.item).aggregate, .site = item(f.item).site};
    step.bytes = open_.lowered.items[index(f.item)].bytes;
    step.first_part = narrow(out_.parts.size());
    for (int32_t part : choice_.chosen(id)) {
      const auto bytes = try_add(step.bytes, open_.lowered.items[index(part)].bytes);
      if (!bytes) {
        throw ExchangeError("the bytes of " + aggregate_text(out_.program, step.aggregate) +
                            " and its parts do not fit in 64 bits");
      }
      step.bytes = *bytes;
      out_.parts.push_back(item(part).aggregate);
    }
    step.part_count = narrow(out_.parts.size()) - step.first_part;
    return step;
  }

  void write_timeline() {
    const int32_t steps = transfers() + narrow(open_.lowered.forms.size());
    std::vector<int32_t> order;
    for (int32_t s = 0; s < steps; ++s) {
      if (!loop_.skipped(s)) {
        order.push_back(s);
      } else if (s < transfers()) {
        ++out_.skipped;
      }
    }
    std::ranges::stable_sort(order, {}, [&](int32_t s) { return loop_.start_ms(s); });
    place_of_.assign(index(steps), -1);
    for (size_t k = 0; k < order.size(); ++k) place_of_[index(order[k])] = narrow(k);
    int32_t last = -1;
    double end = -1;
    for (int32_t s : order) {
      Simulation::Step step = s < transfers() ? transfer(s) : form(s - transfers());
      step.start_ms = loop_.start_ms(s);
      step.end_ms = loop_.end_ms(s);
      if (loop_.cause(s) >= 0) step.cause = place_of_[index(loop_.cause(s))];
      if (step.end_ms > end) last = narrow(out_.timeline.size());
      end = std::max(end, step.end_ms);
      out_.timeline.push_back(step);
    }
    for (; last >= 0; last = out_.timeline[index(last)].cause) out_.critical_path.push_back(last);
    std::ranges::reverse(out_.critical_path);
  }

  void write_load(const Topology& topology) {
    const Flow& flow = loop_.flow();
    for (int32_t r = 0; r < flow.resources(); ++r) {
      const size_t device = index(r) - topology.resources.size();
      const std::string name = index(r) < topology.resources.size()
                                   ? topology.resources[index(r)].name
                                   : "memory of " + topology.devices[device].name;
      const double most = flow.gbps(r) * 1e6 * out_.ms;
      out_.load.push_back(
          {name, flow.bytes(r), flow.busy_ms(r), most > 0 ? flow.bytes(r) / most : 0});
    }
  }

  void write_derivations() {
    const auto since = [&](int32_t i) {
      const int32_t producer = loop_.producer(i);
      return producer < 0 ? -1 : loop_.end_ms(producer);
    };
    std::vector<const Simulation::Step*> made_by(out_.program.aggregate_count(), nullptr);
    int32_t round = 0;
    double at = -1;
    for (int32_t i : loop_.arrivals()) {
      if (since(i) > at) ++round;
      at = since(i);
      Derivation d{item(i).aggregate, item(i).site};
      d.round = round;
      if (const int32_t producer = loop_.producer(i); producer >= 0) {
        derive(d, out_.timeline[index(place_of_[index(producer)])], made_by[d.aggregate.index()]);
      }
      out_.derivations.push_back(d);
    }
  }

  void derive(Derivation& d, const Simulation::Step& step, const Simulation::Step*& made_by) {
    if (step.is_transfer()) {
      d.kind = Derivation::Kind::received;
      d.source = step.site;
      return;
    }
    d.kind = Derivation::Kind::aggregated;
    d.first_part = step.first_part;
    d.part_count = step.part_count;
    if (made_by == nullptr) made_by = &step;
    if (!std::ranges::equal(out_.parts_of(*made_by), out_.parts_of(step))) out_.uniform = false;
  }

  const SimulatorLoop& loop_;
  const OpenProgram& open_;
  const Choice& choice_;
  Simulation& out_;
  std::vector<int32_t> place_of_;  // of each step of the loop, in the timeline; -1: skipped
};

}  // namespace

Simulation simulate(const Program& program, const Topology& topology,
                    const SimulateOptions& options) {
  Verdict verdict = check(program, {.members = options.members, .budget = options.budget});
  if (!verdict.ok()) throw ExchangeError(verdict.reason);
  Simulation out;
  out.program = expand(program);
  out.members = std::move(verdict.members);
  Budget budget = options.budget;
  const OpenProgram open = Opening(out.program, out.members, verdict, budget).run();
  Choice choice(out.program, open, budget);
  SimulatorLoop loop(topology, options.ideal ? Latencies::none : Latencies::stated);
  out.ms = loop.run(open.lowered, {}, &choice);
  Report(loop, open, choice, out).write(topology);
  return out;
}

}  // namespace einsummable::exchange
