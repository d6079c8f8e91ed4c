#ifndef AAREN_SERVER_NET_RPC_LIMITS_LAST_WORDS_H_
#define AAREN_SERVER_NET_RPC_LIMITS_LAST_WORDS_H_

// LastWords are the statuses of a shard's ended calls until the statuses leave. An ended call has no place any more,
// and gRPC keeps the call until the client's connection takes the status. Each call has a few seconds; beyond a
// thousand calls the oldest is cut off.
//
// A connection takes nothing while gRPC is at work on it. Beyond two thousand ended calls, cut off or not, the shard
// waits for no further call: new calls would stand behind all events of the old calls.
//
// Threading: belongs to one thread, the thread of the calls' queue.

#include <cstddef>
#include <list>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class LastWords {
 public:
  using Cancelling = absl::AnyInvocable<void()>;
  using Accept = absl::AnyInvocable<void()>;  // waits for one more call

 private:
  using List = std::list<std::pair<absl::Time, Cancelling>>;  // the oldest first

 public:
  // The status of one call, until the Word is destroyed or the call cut off. May be empty.
  class Word {
   public:
    Word() = default;
    Word(const Word&) = delete;
    Word& operator=(const Word&) = delete;
    ~Word() {
      if (words_ != nullptr) words_->End(at_);
    }

   private:
    friend class LastWords;

    LastWords* words_ = nullptr;
    List::iterator at_;
  };

  explicit LastWords(const session::Clock& clock) : clock_(clock) {}

  // `cancel` cuts the call off, at most once and before `word` goes. REQUIRES: `word` is empty; LastWords outlive
  // `word`.
  void Begin(Word& word, Cancelling cancel);

  // Cuts off the calls whose time is over. Call it every second or so.
  void EndStale();

  // Calls `accept`, at once or when there are few enough, and not between Pause and Resume.
  void WhenFew(Accept accept);
  void Pause() { paused_ = true; }
  void Resume();

  size_t size() const { return list_.size(); }

 private:
  void CutOffOldest();
  void End(List::iterator at);
  void AcceptIfFew();

  const session::Clock& clock_;
  List list_, cut_off_;  // calls that may still leave, and calls that were cut off
  std::vector<Accept> waiting_;
  bool paused_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LIMITS_LAST_WORDS_H_
