#ifndef AAREN_SERVER_NET_RPC_NEXT_CALLS_H_
#define AAREN_SERVER_NET_RPC_NEXT_CALLS_H_

// NextCalls wait for the calls to come: each call that comes waits for one more. Nobody waits while gRPC keeps the
// shard's thread (shard_loop.cc), nor beyond two thousand ended calls that gRPC has not let go: the events of those
// calls would stand before everything else, and their memory is not counted.
//
// Threading: belongs to one thread, the thread of the calls' queue.

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace aaren::rpc {

class NextCalls {
 public:
  using Accept = absl::AnyInvocable<void()>;  // waits for one more call

  // An ended call, from Begin until destroyed. The NextCalls outlive the Ended.
  class Ended {
   public:
    Ended() = default;
    Ended(const Ended&) = delete;
    Ended& operator=(const Ended&) = delete;
    ~Ended() {
      if (calls_ == nullptr) return;
      --calls_->ended_;
      calls_->AcceptIfFew();
    }

    // REQUIRES: called once.
    void Begin(NextCalls& calls) {
      calls_ = &calls;
      ++calls_->ended_;
    }

   private:
    NextCalls* calls_ = nullptr;
  };

  // Calls `accept`, at once or when there are few enough, and not between Pause and Resume.
  void Wait(Accept accept) {
    waiting_.push_back(std::move(accept));
    AcceptIfFew();
  }

  void Pause() { paused_ = true; }
  void Resume() {
    paused_ = false;
    AcceptIfFew();
  }

 private:
  static constexpr size_t kMostEnded = 2048;

  void AcceptIfFew() {
    if (waiting_.empty() || paused_ || ended_ >= kMostEnded) return;
    for (Accept& accept : std::exchange(waiting_, {})) accept();
  }

  size_t ended_ = 0;
  std::vector<Accept> waiting_;
  bool paused_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_NEXT_CALLS_H_
