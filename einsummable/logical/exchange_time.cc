// SPDX-License-Identifier: Apache-2.0
#include "einsummable/logical/exchange_time.h"

#include <algorithm>
#include <limits>
#include <map>

namespace einsummable {

// What an exchange asks of each resource, and the latency of its steps.
struct ExchangeTime::Load {
  std::vector<double> bytes;  // through each resource
  std::vector<double> hbm;    // through the memory of each device
  double send_latency = 0, merge_latency = 0;
  bool sends = false, merges = false, sends_merged = false;
  bool possible = true;  // there is a way for all that is sent
};

ExchangeTime::ExchangeTime(const Topology& topology)
    : sites_(topology.sites()), handover_(topology.handover), device_of_(topology.device_of) {
  for (const Resource& resource : topology.resources) {
    seconds_a_byte_.push_back(1e-9 / resource.gbps);
  }
  for (const Device& device : topology.devices) {
    hbm_seconds_a_byte_.push_back(device.hbm_gbps > 0 ? 1e-9 / device.hbm_gbps : 0);
    kernel_latency_.push_back(device.kernel_latency_us * 1e-6);
  }
  find_ways(topology);
}

// All pairs' cheapest ways. A hop is priced by the load that equal traffic between all pairs would
// put on its resources, so that a bus that many pairs share is dear.
void ExchangeTime::find_ways(const Topology& topology) {
  const auto n = static_cast<size_t>(sites_);
  std::vector<double> users(topology.resources.size(), 0);
  for (int32_t route : topology.route_of) {
    if (route < 0) continue;
    for (ResourceId r : topology.routes[static_cast<size_t>(route)].resources) ++users[r.index()];
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> price(n * n, never);
  std::vector<int32_t> over(n * n, -1);  // a site between, or -1
  for (size_t i = 0; i < n * n; ++i) {
    const int32_t route = topology.route_of[i];
    if (route < 0) continue;
    price[i] = 0;
    for (ResourceId r : topology.routes[static_cast<size_t>(route)].resources) {
      price[i] = std::max(price[i], users[r.index()] * seconds_a_byte_[r.index()]);
    }
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        if (i == j || i == k || j == k) continue;
        const double sum = price[i * n + k] + price[k * n + j];
        if (sum < price[i * n + j] * (1 - 1e-12)) {
          price[i * n + j] = sum;
          over[i * n + j] = static_cast<int32_t>(k);
        }
      }
    }
  }
  ways_.resize(n * n);
  const auto collect = [&](const auto& self, size_t i, size_t j, Way& way) -> void {
    const int32_t between = over[i * n + j];
    if (between >= 0) {
      self(self, i, static_cast<size_t>(between), way);
      self(self, static_cast<size_t>(between), j, way);
      return;
    }
    const Route& route = *topology.route(static_cast<int64_t>(i), static_cast<int64_t>(j));
    way.resources.insert(way.resources.end(), route.resources.begin(), route.resources.end());
    way.latency += route.latency_us * 1e-6;
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      Way& way = ways_[i * n + j];
      way.exists = i != j && price[i * n + j] < never;
      if (way.exists) collect(collect, i, j, way);
    }
  }
}

std::optional<SwitchTime> ExchangeTime::as_switch() const {
  const auto n = static_cast<size_t>(sites_);
  std::vector<ResourceId> out(n), in(n);
  std::optional<double> latency;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const Way& hop = ways_[i * n + j];
      if (!hop.exists || hop.latency != latency.value_or(hop.latency)) return std::nullopt;
      latency = hop.latency;
      if (handover_) continue;  // whose blocks go through nothing
      if (hop.resources.size() != 2) return std::nullopt;
      if (!out[i].valid()) out[i] = hop.resources[0];
      if (!in[j].valid()) in[j] = hop.resources[1];
      if (hop.resources[0] != out[i] || hop.resources[1] != in[j]) return std::nullopt;
    }
  }
  std::vector<SwitchTime::Site> sites;
  for (size_t i = 0; i < n; ++i) {
    const auto rate = [&](ResourceId r) { return r.valid() ? seconds_a_byte_[r.index()] : 0; };
    sites.push_back({rate(out[i]), rate(in[i]), static_cast<size_t>(device_of_[i])});
  }
  std::vector<SwitchTime::Device> devices;
  for (size_t d = 0; d < kernel_latency_.size(); ++d) {
    devices.push_back({hbm_seconds_a_byte_[d], kernel_latency_[d]});
  }
  return SwitchTime(std::move(sites), std::move(devices), latency.value_or(0));
}

// Each sender sends as many bytes to each receiver but itself.
void ExchangeTime::send(Load& load, const Sites& senders, const Sites& receivers,
                        double bytes) const {
  if (bytes <= 0) return;
  for (int32_t from : senders) {
    for (int32_t to : receivers) {
      if (to == from) continue;
      const Way& hop = way(from, to);
      load.possible = load.possible && hop.exists;
      load.send_latency = std::max(load.send_latency, hop.latency);
      if (handover_) continue;
      for (ResourceId r : hop.resources) load.bytes[r.index()] += bytes;
    }
  }
}

// Every receiver gets the bytes once. Holders and receivers send equal shares of them, but between
// them the holders send them once at least.
void ExchangeTime::send_complete(Load& load, const Sites& holders, const Sites& receivers,
                                 double bytes) const {
  if (receivers.empty() || bytes <= 0) return;
  load.sends = true;
  const auto h = static_cast<double>(holders.size()), q = static_cast<double>(receivers.size());
  const double holder_share = std::max(bytes * q / (h + q), bytes / h);
  send(load, holders, receivers, holder_share / q);
  if (q > 1) {
    const double receiver_share = std::max(0.0, (bytes * q - holder_share * h) / q);
    send(load, receivers, receivers, receiver_share / (q - 1));
  }
}

void ExchangeTime::merge_partials(Load& load, const Sites& holders, const Sites& needers,
                                  double elements, const ElementBytes& bytes) const {
  const auto q = static_cast<double>(needers.size()), m = static_cast<double>(holders.size());
  const double part = elements / q;
  load.sends = load.merges = true;
  send(load, holders, needers, part * bytes.partial);
  for (int32_t root : needers) {
    const auto device = static_cast<size_t>(device_of_[static_cast<size_t>(root)]);
    load.merge_latency = std::max(load.merge_latency, kernel_latency_[device]);
    load.hbm[device] += part * (m * bytes.partial + bytes.complete);
  }
  if (needers.size() == 1) return;
  load.sends_merged = true;
  send(load, needers, needers, part * bytes.complete);
}

double ExchangeTime::seconds_of(const Load& load) const {
  if (!load.possible) return std::numeric_limits<double>::infinity();
  double longest = 0, hbm = 0;
  for (size_t r = 0; r < load.bytes.size(); ++r) {
    longest = std::max(longest, load.bytes[r] * seconds_a_byte_[r]);
  }
  for (size_t d = 0; d < load.hbm.size(); ++d) {
    hbm = std::max(hbm, load.hbm[d] * hbm_seconds_a_byte_[d]);
  }
  return longest + hbm + (load.sends ? load.send_latency : 0) +
         (load.merges ? load.merge_latency : 0) + (load.sends_merged ? load.send_latency : 0);
}

double ExchangeTime::seconds(const Layout& from, const Layout& to,
                             const ElementBytes& bytes) const {
  Load load{.bytes = std::vector<double>(seconds_a_byte_.size(), 0),
            .hbm = std::vector<double>(hbm_seconds_a_byte_.size(), 0)};
  std::vector<Sites> unserved;  // of each needed block, the sites that do not hold all of it
  for (const Layout::Block& need : to.blocks) {
    Sites rest = need.sites;
    for (const Layout::Block& block : from.blocks) {
      if (from.partial || !contains(block.box, need.box)) continue;
      std::erase_if(rest, [&](int32_t s) { return std::ranges::binary_search(block.sites, s); });
    }
    unserved.push_back(std::move(rest));
  }
  std::vector<std::pair<Box, Sites>> parts;  // of one block, and who needs them
  for (const Layout::Block& block : from.blocks) {
    parts.clear();
    for (size_t n = 0; n < to.blocks.size(); ++n) {
      if (unserved[n].empty()) continue;
      Box common = intersect(block.box, to.blocks[n].box);
      if (empty(common)) continue;
      const auto same = std::ranges::find(
          parts, common, [](const auto& part) -> const Box& { return part.first; });
      if (same == parts.end()) {
        parts.emplace_back(std::move(common), unserved[n]);
        continue;
      }
      Sites merged;
      std::ranges::set_union(same->second, unserved[n], std::back_inserter(merged));
      same->second = std::move(merged);
    }
    for (const auto& [box, sites] : parts) {
      const auto count = static_cast<double>(elements(box));
      if (from.partial) {
        merge_partials(load, block.sites, sites, count, bytes);
        continue;
      }
      Sites receivers;
      std::ranges::set_difference(sites, block.sites, std::back_inserter(receivers));
      send_complete(load, block.sites, receivers, count * bytes.complete);
    }
  }
  return seconds_of(load);
}

}  // namespace einsummable
