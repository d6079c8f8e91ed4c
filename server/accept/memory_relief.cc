#include "server/accept/memory_relief.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

namespace aaren::accept {
namespace {

constexpr size_t kGrowth = 2 << 20;  // that is nobody's fault

using Gains = std::vector<std::pair<uint64_t, std::string>>;  // bytes since the call before, of each peer

// The greatest, who together brought half of it.
std::vector<std::string> Greatest(Gains gains, uint64_t total) {
  std::sort(gains.rbegin(), gains.rend());
  std::vector<std::string> greatest;
  uint64_t sum = 0;
  for (size_t i = 0; i < gains.size() && 2 * sum < total; ++i) {
    sum += gains[i].first;
    greatest.push_back(std::move(gains[i].second));
  }
  return greatest;
}

}  // namespace

size_t MemoryRelief::Excess() const {
  if (!excess_ || excess_() == 0) return 0;
  malloc_trim(0);
  return excess_();
}

std::vector<std::string> MemoryRelief::WhoMustGo(const ConnectionTable& table) {
  const size_t excess = Excess();
  const auto before = std::exchange(read_, {});
  crowded_ = excess > 0;
  if (!crowded_) {
    most_ = 0;
    return {};
  }
  Gains gains;
  uint64_t total = 0;
  for (const auto& [peer, connection] : table.connections()) {
    const Connection::Traffic traffic = connection.traffic();
    read_[peer] = traffic.read;
    const auto known = before.find(peer);
    // What waits to be read is about to be held, too. Of one that is new since it is all that it has brought.
    const uint64_t gain = traffic.received - (known == before.end() ? 0 : std::min(traffic.received, known->second));
    total += gain;
    gains.emplace_back(gain, peer);
  }
  const bool grows = excess > most_ + kGrowth;
  if (before.empty() || !grows || total == 0) return {};
  most_ = excess;
  return Greatest(std::move(gains), total);
}

}  // namespace aaren::accept
