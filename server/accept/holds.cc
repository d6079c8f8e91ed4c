#include "server/accept/holds.h"

#include <algorithm>
#include <utility>

#include "server/accept/frame_flood.h"

namespace aaren::accept {

bool Holds::Begin(const Heard& heard, int64_t now_ns) {
  const bool again = length_ns_ > 0 && now_ns - until_ns_ < kForgetNs;
  if (again && heard.ns() == heard_ns_ && heard.calls() == calls_) return false;
  length_ns_ = again ? std::min(4 * length_ns_, kLongestNs) : kFirstNs;
  until_ns_ = now_ns + length_ns_;
  heard_ns_ = heard.ns();
  seen_ = calls_ = heard.calls();
  return true;
}

void Holds::Look(const Heard& heard, int64_t now_ns) {
  const uint64_t calls = heard.calls();
  if (std::exchange(seen_, calls) != calls) until_ns_ = std::max(until_ns_, now_ns + kQuietNs);
}

bool Holds::HasTooManyCalls(const Heard& heard) const { return heard.calls() - calls_ > 2 * kStreamsOfConnection; }

}  // namespace aaren::accept
