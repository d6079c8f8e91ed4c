#ifndef AAREN_SERVER_NET_RPC_SHARD_THREADS_H_
#define AAREN_SERVER_NET_RPC_SHARD_THREADS_H_

// ShardThreads are the threads of a shard: the shard's own thread, and reliefs to go on while gRPC keeps the own thread
// (baton.h). Each relief relieves all earlier hands while gRPC keeps every earlier hand.
//
// Threading: the owner calls Start, Relieve and Join in order.

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/net/rpc/baton.h"

namespace aaren::rpc {

class ShardThreads {
 public:
  // `baton` outlives the ShardThreads.
  explicit ShardThreads(Baton& baton) : baton_(baton) {}

  // Calls `run` on a thread named for the shard's index, and `relieve` on a relief whenever the relief's hand is
  // wanted.
  void Start(int index, std::function<void()> run, std::function<void(size_t hand)> relieve);

  // Asks a relief to go on for the kept threads. True if a relief begins. The owner asks every few milliseconds.
  bool Relieve();

  // True if `hand` may take new calls. REQUIRES: `hand` runs the shard `now`. The shard's own thread takes calls
  // always. A relief takes none in the first 100 ms: gRPC may still be at work on the calls' connection. The holder of
  // the baton asks in every round, so calls are taken again however late a relief begins and in whatever order hands
  // end.
  bool MayTakeCalls(size_t hand, absl::Time now);

  // Ends the reliefs. REQUIRES: called at the end of `run`, without the baton.
  void EndReliefs() ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits until `run` has returned. REQUIRES: started.
  void Join() { thread_.join(); }

  bool started() const { return thread_.joinable(); }

 private:
  // Waits until hand number `hand` is wanted. False once the shard's own thread has ended.
  bool AwaitRelief(size_t hand) ABSL_LOCKS_EXCLUDED(mutex_);

  Baton& baton_;
  std::thread thread_;
  std::vector<std::thread> reliefs_;
  bool relieved_ = false;  // at the last Relieve
  size_t hand_ = 0;        // the last to ask MayTakeCalls
  absl::Time hand_since_ = absl::InfinitePast();
  absl::Mutex mutex_;
  size_t kept_ ABSL_GUARDED_BY(mutex_) = 0;  // hands to relieve
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SHARD_THREADS_H_
