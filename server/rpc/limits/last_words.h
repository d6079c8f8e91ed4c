#ifndef AAREN_SERVER_RPC_LIMITS_LAST_WORDS_H_
#define AAREN_SERVER_RPC_LIMITS_LAST_WORDS_H_

// LastWords are the statuses that calls of a shard have been ended with and that have not left yet. Such a call has no
// place any more, and gRPC keeps it until its client's connection takes the status. So it has a few seconds, and beyond
// a thousand the oldest is cut off.
//
// A connection that gRPC is at work on takes nothing for as long as that lasts. So beyond two thousand, with those that
// were cut off, no further call is waited for: others would stand behind all that comes of them.
//
// Threading: belongs to one thread, that of the calls' queue.

#include <cstddef>
#include <list>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/session/clock.h"

namespace aaren::rpc {

class LastWords {
 public:
  using Cancelling = absl::AnyInvocable<void()>;
  using Accept = absl::AnyInvocable<void()>;  // waits for one more call

 private:
  using List = std::list<std::pair<absl::Time, Cancelling>>;  // the oldest first

 public:
  // One call's, until it is destroyed or the call was cut off. It may be empty.
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

  // `cancel` cuts the call off, at most once and before `word` goes. REQUIRES: `word` is empty; this outlives it.
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
  List list_, cut_off_;  // those that may still leave, and those that were cut off
  std::vector<Accept> waiting_;
  bool paused_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_LIMITS_LAST_WORDS_H_
