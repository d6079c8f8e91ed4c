#ifndef AAREN_SERVER_STORE_REDIS_REDIS_LINK_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_LINK_H_

// A RedisLink keeps a connection to one of several Redis, and does calls over the connection: many calls are under way
// at once, in the order of the Posts. One thread does everything.
//
//   no connection -> connecting and greeting -> ready -> broken: the calls under way are answered Unavailable
//        ^                                                 |
//        +------ a pause that grows, the next address <----+
//
// With Sentinels the addresses are the Sentinels'. Each attempt first asks a Sentinel where the master is, and the link
// asks again once the connection breaks.
//
// Unsent calls wait for the next connection, until the timeout is over or every address was tried in vain. After that,
// calls are refused at once. The link leaves a Redis that is silent for the timeout. A call sent on a broken connection
// is not sent again, since the Redis may have done the call. The fence (redis_scripts.h) keeps the Redis from doing the
// call later.
//
// Threading: Post from any thread; answers come on the link's thread.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/store/redis/redis_attempts.h"
#include "server/store/redis/redis_connection.h"
#include "server/store/redis/redis_greeting.h"
#include "server/store/redis/redis_options.h"
#include "server/store/redis/redis_scripts.h"
#include "server/store/redis/sentinel_question.h"

namespace aaren::store {

// A script's KEYS are the fence, the set of sessions and `keys`; its ARGV the connection's number and `arguments`. A
// command without a script is its `arguments`, with the keys after the first argument.
struct RedisCall {
  std::optional<RedisScript> script;
  std::vector<std::string> keys;
  std::vector<std::string> arguments;
  std::shared_ptr<const std::string> last;  // one more argument, long, shared with another call; null: none
  absl::AnyInvocable<void(absl::StatusOr<const redisReply*>)> answer;  // no error is among the replies
  std::chrono::steady_clock::time_point made{};                        // set by Post
};

class RedisLink {
 public:
  // Waits for the first connection. Errors: the greeting's (redis_greeting.h), or Unavailable without a connection in
  // time.
  static absl::StatusOr<std::unique_ptr<RedisLink>> Open(const RedisOptions& options);

  // Answers the calls under way first.
  ~RedisLink();

  // The name of this server among the servers that share the Redis.
  const std::string& server() const { return server_; }

  void Post(RedisCall call) ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of connections after the first. Any thread.
  uint64_t reconnects() const { return reconnects_.load(std::memory_order_relaxed); }

  // Called in an answer with an epoch given out. No Redis will give out a smaller epoch.
  void NoteEpoch(uint64_t epoch) { greatest_epoch_ = std::max(greatest_epoch_, epoch); }

 private:
  using Time = std::chrono::steady_clock::time_point;

  explicit RedisLink(const RedisOptions& options);
  absl::Status AwaitFirst() ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsDecided() ABSL_LOCKS_EXCLUDED(mutex_);

  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  bool TakePosted() ABSL_LOCKS_EXCLUDED(mutex_);  // false: stopping
  void Poll(Time now);
  Time NextTime() const;

  void Connect(Time now);
  void OnSentinelReply(const redisReply& reply);
  void OnReady(Time now);
  void OnReply(const redisReply& reply);
  void RefuseOvertaken(const RedisCall& done);
  void LoadScripts();
  void SendWaiting();
  void Send(RedisCall call);
  void Beat(Time now);
  void ReadReplies(Time now);
  void CheckTimes(Time now);

  // The connection is gone, or is to go.
  void Break(const absl::Status& why, Time now);
  void AttemptFailed(const absl::Status& why, Time now);
  void SayGoodbye();

  bool ready() const { return connection_ != nullptr && greeting_ && greeting_->done(); }

  const RedisOptions options_;
  const std::chrono::nanoseconds timeout_;
  const int wake_;  // an eventfd
  const std::string server_;
  const RedisKeys keys_;

  // The thread's only, until the mutex.
  RedisAttempts attempts_;
  std::unique_ptr<RedisConnection> connection_;
  std::optional<RedisGreeting> greeting_;     // the connection's, to a Redis
  std::optional<SentinelQuestion> question_;  // the connection's, to a Sentinel
  std::array<std::string, kRedisScripts> scripts_;
  std::deque<RedisCall> waiting_, under_way_;  // not sent; sent and not answered
  std::deque<RedisCall> again_;                // calls to send again once nothing is under way: no script
  absl::Status broken_;                        // why the connection is to be ended
  std::string identity_;                       // identity of the data
  uint64_t number_ = 0;                        // number of the connection
  uint64_t greatest_epoch_ = 0;
  Time heard_{}, next_beat_{};  // heard_: when bytes last moved, or a reply began to be waited for

  std::atomic<uint64_t> reconnects_{0};
  absl::Mutex mutex_;
  std::vector<RedisCall> posted_ ABSL_GUARDED_BY(mutex_);
  bool awake_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool connected_once_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status round_ ABSL_GUARDED_BY(mutex_);  // why the last round of addresses failed
  std::thread thread_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_LINK_H_
