// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/candidates.h"

#include <set>
#include <utility>

#include "einsummable/base/error.h"
#include "einsummable/base/text.h"
#include "einsummable/logical/widths.h"

namespace einsummable {
namespace {

using Pin = std::map<std::string, int64_t>;

const Pin kNoPin;

// Lists of counts an operator may have; only one of very many indices has more.
constexpr size_t kMostCounts = 4'000;

// Operators that are cut in the same ways: the same operator, attributes, types and pins.
struct Kind {
  const Operator* op;
  const Pin* pin;
  Signatures signatures;
  Width width;                // the most cells
  std::vector<Width> others;  // that it may have besides

  const std::shared_ptr<const Signature>& signature() const { return signatures[width.signature]; }
};

bool alike(const Operator& a, const Operator& b) {
  return &a == &b ||
         (a.name() == b.name() && a.inputs() == b.inputs() && a.attributes() == b.attributes());
}

size_t hash_of(const Operator& op) {
  size_t hash = std::hash<std::string>()(op.name());
  for (const TensorType& type : op.inputs()) {
    for (Interval bounds : type.bounds) {
      hash = (hash ^ static_cast<size_t>(bounds.hi)) * 0x9e3779b97f4a7c15;
    }
  }
  return hash;
}

std::string counts_text(const Signature& signature, const std::vector<int64_t>& counts) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (signature.indices[i].cut == Index::Cut::never) continue;
    parts.push_back(signature.indices[i].name + "=" + std::to_string(counts[i]));
  }
  return join(parts, " ");
}

std::string pin_text(const Pin& pin) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : pin) parts.push_back(name + "=" + std::to_string(count));
  return join(parts, " ");
}

[[noreturn]] void refuse_pin(const GraphOp& op, const Kind& kind, int64_t p) {
  constexpr size_t shown = 24;
  std::vector<std::string> legal;
  for (const auto& signature : kind.signatures) {
    const auto collect = [&](const std::vector<int64_t>& counts) {
      legal.push_back(counts_text(*signature, counts));
      return true;
    };
    for_each_counts(*signature, kind.width.cells, own_cuts(*signature, kNoPin), collect);
  }
  const size_t more = legal.size() > shown ? legal.size() - shown : 0;
  legal.resize(legal.size() - more);
  throw PlanError(op.op->name() + " " + quote(op.name) + " cannot be cut as " +
                  pin_text(*kind.pin) + " on " + std::to_string(p) +
                  " devices; legal counts are: " + join(legal, "; ") +
                  (more > 0 ? "; and " + std::to_string(more) + " more" : ""));
}

// The kinds of a graph's operators, how wide each is, and the kind of every operator.
struct Kinds {
  Kinds(const Graph& graph, int64_t p, const Pins& pins, Offer offer,
        const Interruption& interruption) {
    for (const auto& [name, pin] : pins) {
      if (!graph.find_op(name).valid()) {
        throw PlanError("there is no operator called " + quote(name) + " to pin");
      }
    }
    std::unordered_map<size_t, std::vector<size_t>> by_hash;
    for (const GraphOp& op : graph.ops()) {
      interruption.check();
      const auto found = pins.find(op.name);
      const Pin* pin = found == pins.end() ? &kNoPin : &found->second;
      std::vector<size_t>& same_hash = by_hash[hash_of(*op.op)];
      const auto same = std::ranges::find_if(
          same_hash, [&](size_t k) { return kinds[k].pin == pin && alike(*kinds[k].op, *op.op); });
      if (same != same_hash.end()) {
        of_op.push_back(*same);
        continue;
      }
      same_hash.push_back(kinds.size());
      of_op.push_back(kinds.size());
      kinds.push_back(make(op, p, pin));
    }
    find_widths(p);
    if (offer == Offer::divisors) {
      for (Kind& kind : kinds) find_others(kind, p);
    }
  }

  // The cells that an operator which only moves elements may have: divisors of widths in use.
  bool divides_a_width(int64_t cells) const {
    return std::ranges::any_of(widths, [&](int64_t width) { return width % cells == 0; });
  }

  std::vector<Kind> kinds;
  std::vector<size_t> of_op;
  std::set<int64_t> widths;  // in use

 private:
  static Kind make(const GraphOp& op, int64_t p, const Pin* pin) {
    Kind kind{op.op.get(), pin, {}, {}, {}};
    for (Signature& signature : op.op->signatures()) {
      kind.signatures.push_back(std::make_shared<const Signature>(std::move(signature)));
    }
    kind.width = find_width(kind.signatures, p);
    if (pin->empty() || kind.signatures[0]->layout) return kind;
    const auto pinned = find_pinned_width(kind.signatures, p, kind.width, *pin);
    if (!pinned) refuse_pin(op, kind, p);
    kind.width = *pinned;
    return kind;
  }

  void find_others(Kind& kind, int64_t p) {
    for (int64_t cells = p; cells >= 1 && !kind.signature()->layout; --cells) {
      if (p % cells != 0) continue;
      for (size_t s = 0; s < kind.signatures.size(); ++s) {
        // Later signatures are for as many cells as can be.
        if (s > 0 && cells < p) break;
        if (s == kind.width.signature && cells == kind.width.cells) continue;
        if (feasible(*kind.signatures[s], cells, *kind.pin)) kind.others.push_back({s, cells, ""});
      }
    }
    for (const Width& other : kind.others) widths.insert(other.cells);
  }

  void find_widths(int64_t p) {
    widths.insert(p);
    for (const Kind& kind : kinds) {
      if (!kind.signature()->layout) widths.insert(kind.width.cells);
    }
    for (Kind& kind : kinds) {
      if (kind.signature()->layout) kind.width = {0, p, ""};
    }
  }
};

// The tiling of one operand under the cuts of the indices it depends on, each computed once.
class OperandTilings {
 public:
  OperandTilings(const OperandMap& operand, TilingTable& tilings)
      : operand_(operand), tilings_(tilings) {
    for (const AxisMap& axis : operand.axes) {
      for (const Term& term : axis.terms) indices_.push_back(static_cast<size_t>(term.index));
    }
  }

  TilingId of(const JoinAggSpec& spec, const std::vector<const Cuts*>& chosen) {
    key_.clear();
    for (size_t index : indices_) key_.push_back(chosen[index]);
    const auto [place, added] = known_.try_emplace(key_);
    if (added) place->second = tilings_.intern(tiling_of(operand_, spec.cuts()));
    return place->second;
  }

 private:
  const OperandMap& operand_;
  TilingTable& tilings_;
  std::vector<size_t> indices_;
  std::vector<const Cuts*> key_;
  std::map<std::vector<const Cuts*>, TilingId> known_;
};

// Makes the candidates of one kind by one of its signatures, from what the classes offer.
class Maker {
 public:
  Maker(const Kind& kind, std::shared_ptr<const Signature> signature, OpId op,
        IndexClasses& classes, const CostModel& model, TilingTable& tilings)
      : kind_(kind), signature_(std::move(signature)), op_(op), classes_(classes), model_(model) {
    for (const OperandMap& operand : signature_->inputs) inputs_.emplace_back(operand, tilings);
    for (const OperandMap& operand : signature_->outputs) outputs_.emplace_back(operand, tilings);
  }

  std::vector<Candidate> with_cells(int64_t cells) {
    const MayCut may_cut = [&](size_t index, int64_t count) {
      const auto pin = kind_.pin->find(signature_->indices[index].name);
      return (pin == kind_.pin->end() || pin->second == count) &&
             !classes_.offers(op_, index, count).empty();
    };
    for (const auto& counts : list_counts(*signature_, cells, may_cut, kMostCounts)) {
      cuts_.assign(counts.size(), nullptr);
      choose_cuts(counts, 0);
    }
    return std::exchange(made_, {});
  }

 private:
  void choose_cuts(const std::vector<int64_t>& counts, size_t index) {
    if (index == counts.size()) {
      made_.push_back(candidate());
      return;
    }
    for (const Cuts& cuts : classes_.offers(op_, index, counts[index])) {
      cuts_[index] = &cuts;
      choose_cuts(counts, index + 1);
    }
  }

  Candidate candidate() {
    std::vector<Cuts> cuts;
    for (const Cuts* chosen : cuts_) cuts.push_back(*chosen);
    Candidate out;
    out.spec = std::make_shared<const JoinAggSpec>(signature_, std::move(cuts));
    for (OperandTilings& input : inputs_) out.inputs.push_back(input.of(*out.spec, cuts_));
    for (OperandTilings& output : outputs_) out.outputs.push_back(output.of(*out.spec, cuts_));
    out.cost = model_.op(*kind_.op, *out.spec);
    return out;
  }

  const Kind& kind_;
  std::shared_ptr<const Signature> signature_;
  OpId op_;
  IndexClasses& classes_;
  const CostModel& model_;
  std::vector<OperandTilings> inputs_, outputs_;
  std::vector<const Cuts*> cuts_;
  std::vector<Candidate> made_;
};

// The index classes of a graph for each of its operators' signatures in turn: in the first, every
// operator is cut by the signature of its most cells; in classes `1 + s` by its signature s, if it
// has one.
class ClassesOfSignatures {
 public:
  ClassesOfSignatures(const Graph& graph, const Kinds& kinds, const Interruption& interruption) {
    size_t most = 0;
    for (const Kind& kind : kinds.kinds) {
      if (!kind.others.empty()) most = std::max(most, kind.signatures.size());
    }
    for (size_t turn = 0; turn <= most; ++turn) {
      std::vector<std::shared_ptr<const Signature>> signatures;
      for (size_t k : kinds.of_op) {
        const Kind& kind = kinds.kinds[k];
        const bool own = turn > 0 && turn - 1 < kind.signatures.size();
        signatures.push_back(own ? kind.signatures[turn - 1] : kind.signature());
      }
      classes_.emplace_back(graph, signatures, interruption);
    }
  }

  IndexClasses& usual() { return classes_[0]; }
  IndexClasses& of_signature(size_t s) { return classes_[1 + s]; }
  // The types of an operator's indices, in all turns.
  void add_types(const Kind& kind, OpId op, std::vector<int64_t>& key) const {
    for (size_t turn = 0; turn < classes_.size(); ++turn) {
      const bool own = turn > 0 && turn - 1 < kind.signatures.size();
      const Signature& signature = own ? *kind.signatures[turn - 1] : *kind.signature();
      for (size_t i = 0; i < signature.indices.size(); ++i) {
        key.push_back(classes_[turn].type(op, i).value);
      }
    }
  }

 private:
  std::vector<IndexClasses> classes_;
};

// The candidates of kinds of operators, from what the classes offer.
class SetMaker {
 public:
  SetMaker(const Kinds& kinds, ClassesOfSignatures& classes, const CostModel& model,
           TilingTable& tilings)
      : kinds_(kinds), classes_(classes), model_(model), tilings_(tilings) {}

  std::shared_ptr<CandidateSet> make(const Kind& kind, OpId op) {
    auto out = std::make_shared<CandidateSet>();
    out->signature = kind.signature();
    out->width = kind.width.cells;
    out->reason = kind.width.reason;
    Maker usual(kind, kind.signature(), op, classes_.usual(), model_, tilings_);
    if (!kind.signature()->layout) {
      out->all = usual.with_cells(kind.width.cells);
      for (const Width& other : kind.others) {
        Maker maker(kind, kind.signatures[other.signature], op,
                    classes_.of_signature(other.signature), model_, tilings_);
        for (Candidate& made : maker.with_cells(other.cells)) out->all.push_back(std::move(made));
      }
      return out;
    }
    for (int64_t cells = *kinds_.widths.rbegin(); cells >= 1; --cells) {
      if (!kinds_.divides_a_width(cells)) continue;
      for (Candidate& made : usual.with_cells(cells)) out->all.push_back(std::move(made));
    }
    if (!out->all.empty()) out->width = out->all.front().spec->cells();
    return out;
  }

 private:
  const Kinds& kinds_;
  ClassesOfSignatures& classes_;
  const CostModel& model_;
  TilingTable& tilings_;
};

}  // namespace

Candidates::Candidates(const Graph& graph, int64_t p, const Pins& pins, const CostModel& model,
                       Offer offer, const Interruption& interruption)
    : graph_(graph), p_(p), interruption_(interruption) {
  const Kinds kinds(graph, p, pins, offer, interruption);
  ClassesOfSignatures classes(graph, kinds, interruption);
  SetMaker maker(kinds, classes, model, tilings_);
  std::map<std::vector<int64_t>, std::shared_ptr<const CandidateSet>> sets;
  std::vector<int64_t> key;
  for (size_t i = 0; i < graph.ops().size(); ++i) {
    interruption.check();
    const OpId op(static_cast<int64_t>(i));
    const Kind& kind = kinds.kinds[kinds.of_op[i]];
    key.assign(1, static_cast<int64_t>(kinds.of_op[i]));
    classes.add_types(kind, op, key);
    std::shared_ptr<const CandidateSet>& set = sets[key];
    if (!set) {
      try {
        set = maker.make(kind, op);
      } catch (const Error& error) {
        refuse_costs(graph.op(op), error);
      }
      if (set->all.empty()) refuse_pin(graph.op(op), kind, p);
    }
    sets_.push_back(set);
  }
  find_edges(model);
  check_costs();
}

std::string counts_text(const JoinAggSpec& spec) {
  std::vector<int64_t> counts;
  for (const Cuts& cuts : spec.cuts()) counts.push_back(count_of(cuts));
  return counts_text(spec.signature(), counts);
}

}  // namespace einsummable
