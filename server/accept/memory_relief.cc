#include "server/accept/memory_relief.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

namespace aaren::accept {
namespace {

constexpr size_t kChange = 2 << 20;  // less is nobody's fault, and no help
constexpr int kPatience = 50;        // calls until what has ended has surely given its memory back

}  // namespace

size_t MemoryRelief::Excess() const {
  if (!excess_ || excess_() == 0) return 0;
  malloc_trim(0);
  return excess_();
}

void MemoryRelief::Remember(Brought brought) {
  const auto before = std::exchange(brought_, {});
  for (auto& [peer, bytes] : brought) {
    const auto known = before.find(peer);
    brought_.emplace(std::move(peer), bytes + (known == before.end() ? 0 : known->second));
  }
}

// Those who together brought half of it. They are forgotten.
std::vector<std::string> MemoryRelief::TakeGreatest() {
  std::vector<std::pair<uint64_t, std::string>> order;
  uint64_t total = 0;
  for (const auto& [peer, bytes] : brought_) {
    total += bytes;
    order.emplace_back(bytes, peer);
  }
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> greatest;
  uint64_t sum = 0;
  for (size_t i = 0; i < order.size() && 2 * sum < total; ++i) {
    sum += order[i].first;
    brought_.erase(order[i].second);
    greatest.push_back(std::move(order[i].second));
  }
  return greatest;
}

std::vector<std::string> MemoryRelief::WhoMustGo(absl::FunctionRef<Brought()> brought) {
  const size_t excess = Excess();
  const size_t last = std::exchange(last_, excess);
  crowded_ = excess > 0;
  if (!crowded_) {
    level_ = 0;
    brought_.clear();
    return {};
  }
  Remember(brought());
  const bool shrinks = excess + kChange / 2 < last;
  const bool grew = excess > level_ + kChange, helped = excess + kChange < level_;
  still_ = shrinks || excess > last + kChange / 2 ? 0 : still_ + 1;
  if (shrinks) return {};     // what has ended is being given back
  if (still_ >= kPatience) {  // whoever is there now has not filled it
    level_ = excess;
    brought_.clear();
  }
  if (!grew && !helped) return {};
  std::vector<std::string> greatest = TakeGreatest();
  if (greatest.empty()) return {};  // what fills it may not have been counted yet
  level_ = excess;
  still_ = 0;
  return greatest;
}

}  // namespace aaren::accept
