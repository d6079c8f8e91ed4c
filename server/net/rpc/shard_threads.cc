#include "server/net/rpc/shard_threads.h"

#include <pthread.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::rpc {
namespace {

constexpr absl::Duration kTakeNoCalls = absl::Milliseconds(100);

}  // namespace

void ShardThreads::Start(int index, std::function<void()> run, std::function<void(size_t hand)> relieve) {
  const auto name = [index](std::thread& thread, const char* kind) {
    pthread_setname_np(thread.native_handle(), absl::StrCat(kind, "-", index).c_str());
  };
  for (size_t hand = 1; hand < Baton::kHands; ++hand) {
    name(reliefs_.emplace_back([this, hand, relieve] {
      while (AwaitRelief(hand)) relieve(hand);
    }),
         "relief");
  }
  thread_ = std::thread(std::move(run));
  name(thread_, "shard");
}

bool ShardThreads::Relieve() {
  const size_t kept = baton_.kept();
  {
    absl::MutexLock lock(&mutex_);
    kept_ = kept;
  }
  return !std::exchange(relieved_, kept > 0) && kept > 0;
}

bool ShardThreads::MayTakeCalls(size_t hand, absl::Time now) {
  if (std::exchange(hand_, hand) != hand) hand_since_ = now;
  return hand == 0 || now - hand_since_ >= kTakeNoCalls;
}

bool ShardThreads::AwaitRelief(size_t hand) {
  absl::MutexLock lock(&mutex_);
  const auto wanted = [&]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return over_ || kept_ >= hand; };
  mutex_.Await(absl::Condition(&wanted));
  kept_ = 0;
  return !over_;
}

void ShardThreads::EndReliefs() {
  {
    absl::MutexLock lock(&mutex_);
    over_ = true;
  }
  for (std::thread& relief : reliefs_) relief.join();
}

}  // namespace aaren::rpc
