// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/candidate.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

size_t index(int32_t i) { return static_cast<size_t>(i); }

// Of every hop: the transfers before it and after it on its longest way.
struct Depths {
  std::vector<int32_t> before, after;
};

Depths depths_of(const Tree& tree) {
  const auto& in = tree.gather.hops;
  const auto& out = tree.spread.hops;
  Depths depths{.before = std::vector<int32_t>(in.size() + out.size(), 0),
                .after = std::vector<int32_t>(in.size() + out.size(), 0)};
  int32_t height = 0, depth = 0;
  for (size_t i = in.size(); i-- > 0;) {
    if (in[i].next >= 0)
      depths.before[index(in[i].next)] =
          std::max(depths.before[index(in[i].next)], depths.before[i] + 1);
    height = std::max(height, depths.before[i] + 1);
  }
  for (size_t i = out.size(); i-- > 0;) {
    int32_t& after = depths.after[in.size() + i];
    if (out[i].next >= 0)
      depths.after[in.size() + index(out[i].next)] =
          std::max(depths.after[in.size() + index(out[i].next)], after + 1);
    depth = std::max(depth, after + 1);
  }
  for (size_t i = 0; i < in.size(); ++i)
    depths.after[i] = in[i].next < 0 ? depth : depths.after[index(in[i].next)] + 1;
  for (size_t i = 0; i < out.size(); ++i)
    depths.before[in.size() + i] =
        out[i].next < 0 ? height : depths.before[in.size() + index(out[i].next)] + 1;
  return depths;
}

class Builder {
 public:
  Builder(Program& program, const Network& network, std::span<const Commodity> commodities,
          const Packing& packing, const Pieces& pieces)
      : program_(program),
        network_(network),
        commodities_(commodities),
        packing_(packing),
        pieces_(pieces) {}

  Candidate run() {
    for (size_t c = 0; c < commodities_.size(); ++c) {
      const auto& shares = packing_.commodities[c];
      std::vector<Depths> depths;
      for (const Share& share : shares) depths.push_back(depths_of(share.tree));
      for (size_t d = 0; d < commodities_[c].demands.size(); ++d) {
        std::vector<int32_t> routes(shares.size(), -1);
        const auto& list = pieces_.of[c][d];
        for (size_t k = 0; k < list.size(); ++k) {
          const size_t t = index(list[k].tree);
          if (routes[t] < 0) {
            routes[t] = static_cast<int32_t>(result_.routes.size());
            result_.routes.push_back(
                route_of(commodities_[c], commodities_[c].demands[d], shares[t].tree));
          }
          result_.routes[index(routes[t])].pieces.push_back(static_cast<int32_t>(k));
          put(commodities_[c], routes[t], static_cast<int32_t>(k), list[k], depths[t]);
        }
      }
    }
    return std::move(result_);
  }

 private:
  Candidate::Route route_of(const Commodity& commodity, const Demand& demand, const Tree& tree) {
    const auto& hops = tree.gather.hops;
    std::vector<std::vector<AtomId>> moved(hops.size());
    for (size_t t = 0; t < tree.gather.enters.size(); ++t) {
      for (int32_t hop = tree.gather.enters[t]; hop >= 0; hop = hops[index(hop)].next) {
        for (AggregateId part : demand.parts[t]) {
          const auto atoms = program_.atoms(part);
          moved[index(hop)].insert(moved[index(hop)].end(), atoms.begin(), atoms.end());
        }
      }
    }
    Candidate::Route route{.aggregate = demand.aggregate, .tree = &tree, .moved = {}, .pieces = {}};
    for (const auto& atoms : moved) route.moved.push_back(program_.aggregate(atoms));
    route.moved.resize(hops.size() + tree.spread.hops.size(), demand.aggregate);
    route.merged_at_end =
        !commodity.formed &&
        std::ranges::none_of(tree.spread.hops, [](const Hop& hop) { return hop.next < 0; });
    return route;
  }

  int32_t item(int32_t site, int64_t bytes, bool given) {
    result_.lowered.items.push_back({network_.site(site).value, given, bytes});
    return static_cast<int32_t>(result_.lowered.items.size()) - 1;
  }

  // One aggregate of what is together at a site.
  int32_t joined(int32_t site, std::span<const int32_t> inputs, int64_t bytes) {
    if (inputs.size() == 1) return inputs[0];
    Lowered& lowered = result_.lowered;
    const int32_t whole = item(site, bytes, false);
    lowered.forms.push_back(
        {whole, static_cast<int32_t>(lowered.parts.size()), static_cast<int32_t>(inputs.size())});
    lowered.parts.insert(lowered.parts.end(), inputs.begin(), inputs.end());
    return whole;
  }

  int32_t send(int32_t from, const Hop& hop, int64_t bytes, Candidate::Step step,
               const Depths& depths) {
    const int32_t to = item(hop.to, bytes, false);
    result_.lowered.transfers.push_back({from, to});
    step.before = depths.before[index(step.hop)];
    step.after = depths.after[index(step.hop)];
    result_.steps.push_back(step);
    return to;
  }

  void put(const Commodity& commodity, int32_t route, int32_t number, const Piece& piece,
           const Depths& depths) {
    const Tree& tree = *result_.routes[index(route)].tree;
    const auto& in = tree.gather.hops;
    Candidate::Step step{
        .route = route, .hop = 0, .piece = number, .turn = piece.turn, .place = piece.place};
    std::vector<std::vector<int32_t>> inputs(in.size() + 1);  // the root's first
    for (size_t t = 0; t < tree.gather.enters.size(); ++t) {
      const int32_t hop = tree.gather.enters[t];
      for (int32_t p = 0; p < commodity.terminals[t].parts; ++p)
        inputs[index(hop + 1)].push_back(
            item(hop < 0 ? tree.root : in[index(hop)].from, piece.bytes, true));
    }
    for (size_t i = in.size(); i-- > 0;) {
      step.hop = static_cast<int32_t>(i);
      const int32_t whole = joined(in[i].from, inputs[i + 1], piece.bytes);
      inputs[index(in[i].next + 1)].push_back(send(whole, in[i], piece.bytes, step, depths));
    }
    int32_t complete = -1;
    if (!commodity.formed) complete = joined(tree.root, inputs[0], piece.complete);
    std::vector<int32_t> arrived;
    std::map<int32_t, int32_t> held;
    for (size_t i = 0; i < tree.spread.hops.size(); ++i) {
      const Hop& hop = tree.spread.hops[i];
      step.hop = static_cast<int32_t>(in.size() + i);
      int32_t from = hop.next >= 0 ? arrived[index(hop.next)] : complete;
      if (from < 0) {
        const auto [at, fresh] = held.try_emplace(hop.from, -1);
        if (fresh) at->second = item(hop.from, piece.complete, true);
        from = at->second;
      }
      arrived.push_back(send(from, hop, piece.complete, step, depths));
    }
  }

  Program& program_;
  const Network& network_;
  std::span<const Commodity> commodities_;
  const Packing& packing_;
  const Pieces& pieces_;
  Candidate result_;
};

}  // namespace

Candidate candidate_of(Program& program, const Network& network,
                       std::span<const Commodity> commodities, const Packing& packing,
                       const Pieces& pieces) {
  return Builder(program, network, commodities, packing, pieces).run();
}

Program program_of(const Program& preamble, const Network& network, const Pieces& pieces,
                   const Candidate& candidate, std::span<const int32_t> order) {
  Program program = preamble;
  program.set_body({});
  for (const Cut& cut : pieces.cuts) {
    for (AtomId atom : cut.atoms) program.add_split(atom, cut.sizes);
  }
  const auto piece_of = [&](AggregateId whole, int32_t number) {
    std::vector<AtomId> atoms(program.atoms(whole).begin(), program.atoms(whole).end());
    if (program.atom(atoms[0]).split < 0) return whole;
    for (AtomId& a : atoms) a = program.splits()[index(program.atom(a).split)].piece(number);
    return program.aggregate(atoms);
  };
  std::set<std::tuple<AggregateId, SiteId, SiteId>> sent;  // an action written twice is one
  std::set<std::pair<AggregateId, SiteId>> merged;
  for (int32_t t : order) {
    const Candidate::Step& step = candidate.steps[index(t)];
    const Candidate::Route& route = candidate.routes[index(step.route)];
    const size_t gathering = route.tree->gather.hops.size();
    const Hop& hop = index(step.hop) < gathering
                         ? route.tree->gather.hops[index(step.hop)]
                         : route.tree->spread.hops[index(step.hop) - gathering];
    const AggregateId piece = piece_of(route.moved[index(step.hop)], step.piece);
    const SiteId from = network.site(hop.from), to = network.site(hop.to);
    if (sent.emplace(piece, from, to).second) program.add_action(piece, from, to);
  }
  for (const Candidate::Route& route : candidate.routes) {
    if (!route.merged_at_end) continue;
    const SiteId root = network.site(route.tree->root);
    for (int32_t number : route.pieces) {
      const AggregateId piece = piece_of(route.aggregate, number);
      if (merged.emplace(piece, root).second) program.add_action({piece, root, {}});
    }
  }
  return program;
}

}  // namespace einsummable::synthesis
