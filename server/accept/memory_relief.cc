#include "server/accept/memory_relief.h"

#include <malloc.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "server/accept/peer_name.h"

namespace aaren::accept {
namespace {

constexpr size_t kChange = 2 << 20;     // less is nobody's fault, and no help
constexpr size_t kFast = 16 << 20;      // from one call to the next
constexpr int kPatience = 50;           // calls until what has ended has surely given its memory back
constexpr uint64_t kSpared = 64;        // this part of all that came is nobody's fault
constexpr uint64_t kLittle = 64 << 10;  // a host that brought less has not filled it
constexpr int kSettling = 25;           // calls until gRPC has surely handled what those who ended had sent
constexpr int kLasting = 250;           // calls without them until they have surely stayed away
constexpr uint64_t kMuchLess = 16;      // this part of what one of them brought
constexpr uint64_t kMost = 64;          // bytes that gRPC may make of one
constexpr uint64_t kFading = 64;        // the part of it that fades in a call: half in a second, about

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

// Of what its host brought.
bool MemoryRelief::Suspect(const std::string& host, uint64_t bytes) const {
  if (bytes < kLittle) return false;
  if (guilty_.contains(host)) return true;
  if (settling_ > 0) return false;
  return lasting_ == 0 || bytes >= most_of_guilty_ / kMuchLess || bytes >= last_ / kMost;
}

// Of one host after the other, beginning with the host that brought most: a proxy's connections are its own. Only of
// those that are suspect.
std::vector<std::pair<uint64_t, std::string>> MemoryRelief::GreatestFirst() const {
  absl::flat_hash_map<std::string, uint64_t> hosts;
  for (const auto& [peer, bytes] : brought_) hosts[HostOf(peer)] += bytes;
  std::vector<std::tuple<uint64_t, std::string, uint64_t, std::string>> order;
  for (const auto& [peer, bytes] : brought_) {
    const std::string host = HostOf(peer);
    if (Suspect(host, hosts[host])) order.emplace_back(hosts[host], host, bytes, peer);
  }
  std::sort(order.rbegin(), order.rend());
  std::vector<std::pair<uint64_t, std::string>> greatest;
  for (auto& [of_host, host, bytes, peer] : order) greatest.emplace_back(bytes, std::move(peer));
  return greatest;
}

// Those who together brought half of it, but for those who brought next to nothing; if `whole_hosts`, all of each of
// their hosts. They are forgotten.
std::vector<std::string> MemoryRelief::TakeGreatest(bool whole_hosts) {
  auto order = GreatestFirst();
  const uint64_t present = std::accumulate(brought_.begin(), brought_.end(), uint64_t{0},
                                           [](uint64_t sum, const auto& peer) { return sum + peer.second; });
  const uint64_t spared = (present + gone_) / kSpared;
  std::vector<std::string> greatest;
  for (uint64_t rest = present; auto& [bytes, peer] : order) {
    const bool enough = 2 * rest <= present || rest <= spared;
    if (enough && !(whole_hosts && !greatest.empty() && HostOf(peer) == HostOf(greatest.back()))) break;
    rest -= bytes;
    NoteEnded(peer, 0);
    greatest.push_back(std::move(peer));
  }
  return greatest;
}

void MemoryRelief::NoteEnded(const std::string& peer, uint64_t bytes) {
  const auto known = brought_.find(peer);
  if (known != brought_.end()) {
    bytes += known->second;
    brought_.erase(known);
  }
  gone_ += bytes;
  most_of_guilty_ = std::max(most_of_guilty_, guilty_[HostOf(peer)] += bytes);
  settling_ = kSettling;
  lasting_ = kLasting;
}

void MemoryRelief::Fade() {
  gone_ -= gone_ / kFading;
  most_of_guilty_ -= most_of_guilty_ / kFading;
  for (auto& [host, bytes] : guilty_) bytes -= bytes / kFading;
}

// There is room. Who has just ended may still have filled what is filled soon.
void MemoryRelief::Calm() {
  Fade();
  level_ = 0;
  still_ = blameless_ = 0;
  brought_.clear();
  settling_ = std::max(settling_ - 1, 0);
  lasting_ = std::max(lasting_ - 1, 0);
  if (lasting_ == 0) Forgive();
}

void MemoryRelief::Forgive() {
  gone_ = 0;
  blameless_ = 0;
  settling_ = lasting_ = 0;
  brought_.clear();
  guilty_.clear();
  most_of_guilty_ = 0;
}

// Nobody is there who brought anything. What fills it may not have been counted yet.
void MemoryRelief::BlameNobody(size_t excess) {
  if (gone_ > 0) {
    level_ = excess;
    gone_ /= 2;
  } else if (++blameless_ >= kPatience) {
    level_ = excess;
    Forgive();
  }
}

std::vector<std::string> MemoryRelief::WhoMustGo(absl::FunctionRef<Brought()> brought) {
  const size_t excess = Excess();
  const size_t last = std::exchange(last_, excess);
  crowded_ = excess > 0;
  if (!crowded_) {
    Calm();
    return {};
  }
  Remember(brought());
  const bool shrinks = excess + kChange / 2 < last;
  settling_ = shrinks ? 0 : std::max(settling_ - 1, 0);
  lasting_ = std::max(lasting_ - 1, 0);
  still_ = shrinks || excess > last + kChange / 2 ? 0 : still_ + 1;
  return shrinks ? std::vector<std::string>() : Blame(excess, excess > last + kFast);  // else it is being given back
}

std::vector<std::string> MemoryRelief::Blame(size_t excess, bool fast) {
  const bool grew = excess > level_ + kChange;
  if (!grew) blameless_ = 0;
  if (!grew && still_ >= kPatience) {  // whoever is there now has not filled it
    level_ = std::min(level_, excess);
    Forgive();
  }
  const bool helped = excess + kChange < level_;
  if (!grew && !helped) return {};
  std::vector<std::string> greatest = TakeGreatest(fast);
  if (!greatest.empty()) {
    level_ = excess;
    still_ = blameless_ = 0;
  } else if (grew && settling_ == 0) {
    BlameNobody(excess);
  }
  return greatest;
}

}  // namespace aaren::accept
