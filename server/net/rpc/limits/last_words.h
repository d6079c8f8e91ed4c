#ifndef AAREN_SERVER_NET_RPC_LIMITS_LAST_WORDS_H_
#define AAREN_SERVER_NET_RPC_LIMITS_LAST_WORDS_H_

// LastWords are the statuses of a shard's ended calls until the clients' connections take the statuses: gRPC keeps the
// calls until then. Each call has a few seconds; beyond a thousand calls the oldest is cut off. Beyond two thousand
// ended calls, cut off or not, the shard waits for no further call: new calls would stand behind all events of the old.
//
// Threading: belongs to one thread, the thread of the calls' queue.

#include <cstddef>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/net/rpc/limits/call_places.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class LastWords {
 public:
  using Cancelling = absl::AnyInvocable<void()>;
  using Accept = absl::AnyInvocable<void()>;  // waits for one more call

  // The status of one call, until the Word is destroyed or the call cut off. May be empty.
  class Word {
   public:
    Word() = default;
    Word(const Word&) = delete;
    Word& operator=(const Word&) = delete;
    ~Word() {
      place_ = {};
      if (words_ != nullptr) words_->AcceptIfFew();
    }

   private:
    friend class LastWords;

    LastWords* words_ = nullptr;
    CallPlaces::Place place_;
  };

  explicit LastWords(const session::Clock& clock) : clock_(clock), places_(kMost, clock, absl::ZeroDuration()) {}

  // `cancel` cuts the call off, at most once and before `word` goes. REQUIRES: `word` is empty, and goes first.
  void Begin(Word& word, Cancelling cancel);

  // Cuts off the calls whose time is over. Call it every second or so.
  void EndStale();

  // Calls `accept`, at once or when there are few enough, and not between Pause and Resume.
  void WhenFew(Accept accept);
  void Pause() { paused_ = true; }
  void Resume();

  size_t size() const { return places_.size(); }

 private:
  static constexpr size_t kMost = 1024;

  void AcceptIfFew();

  const session::Clock& clock_;
  CallPlaces places_;  // calls that may still leave; lost: calls that were cut off
  std::vector<Accept> waiting_;
  bool paused_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LIMITS_LAST_WORDS_H_
