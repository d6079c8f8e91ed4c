#ifndef AAREN_SERVER_ACCEPT_HOLDS_H_
#define AAREN_SERVER_ACCEPT_HOLDS_H_

// Holds are the times that one connection was held because it kept a shard's thread (reading_watch.h), and what they
// say of its client. Times are nanoseconds of the clock that never steps. Threading: a plain value.

#include <cstdint>

#include "server/accept/heard.h"

namespace aaren::accept {

class Holds {
 public:
  static constexpr int64_t kFirstNs = 100'000'000;  // the first one lasts, and each further one four times as long
  static constexpr int64_t kLongestNs = 3'200'000'000;
  static constexpr int64_t kQuietNs = 20'000'000;       // without a call that begins, before it is over
  static constexpr int64_t kForgetNs = 60'000'000'000;  // without one, until the next one is the first again

  // Begins one. False if it is a flood: nothing of it was handled since the last one began.
  bool Begin(const Heard& heard, int64_t now_ns);

  // Whether it is a flood: more calls began since it is held than may be under way at once. All of them had been read
  // before, and none had been answered. REQUIRES: it is held.
  bool HasTooManyCalls(const Heard& heard) const;

  // Goes on for as long as calls begin.
  void Look(const Heard& heard, int64_t now_ns);

  bool OverAt(int64_t now_ns) const { return now_ns >= until_ns_; }

 private:
  int64_t until_ns_ = 0;
  int64_t length_ns_ = 0;
  int64_t heard_ns_ = 0;  // when it began
  uint64_t calls_ = 0;    // likewise
  uint64_t seen_ = 0;     // calls, at the last look
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HOLDS_H_
