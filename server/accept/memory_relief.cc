#include "server/accept/memory_relief.h"

#include <malloc.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace aaren::accept {
namespace {

constexpr uint64_t kLittle = 64 << 10;  // brought by all together: the memory is held by those who are silent now

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

bool MemoryRelief::Crowded() const {
  if (!crowded_ || !crowded_()) return false;
  malloc_trim(0);
  return crowded_();
}

std::vector<std::string> MemoryRelief::WhoMustGo(const ConnectionTable& table) {
  if (!Crowded()) {
    received_.clear();
    return {};
  }
  const auto before = std::exchange(received_, {});
  Gains gains;
  uint64_t total = 0;
  for (const auto& [peer, connection] : table.connections()) {
    const uint64_t received = received_[peer] = connection.Received();
    const auto known = before.find(peer);
    // One that is new since has brought all of it.
    const uint64_t gain = received - (known == before.end() ? 0 : std::min(received, known->second));
    total += gain;
    gains.emplace_back(gain, peer);
  }
  if (before.empty()) return {};
  if (total > kLittle) return Greatest(std::move(gains), total);
  const std::optional<std::string> newest = table.NewestOfTheGreediestHost();
  return newest ? std::vector<std::string>{*newest} : std::vector<std::string>();
}

}  // namespace aaren::accept
