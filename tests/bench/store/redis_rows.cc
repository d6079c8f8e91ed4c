// The store in Redis under the load, beside the same bytes by a bare pipeline of hiredis to the same Redis.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hiredis/hiredis.h"
#include "server/store/redis/redis_session.h"
#include "server/store/redis/redis_store.h"
#include "tests/bench/store/store_load.h"
#include "tests/bench/store/store_rows.h"

namespace aaren::bench {
namespace {

// A redis-server for this bench alone, on a free port.
class RedisProcess {
 public:
  RedisProcess() {
    const absl::StatusOr<std::vector<int>> sockets = address::ListenOn({"127.0.0.1", 0}, 1);
    if (!sockets.ok()) return;
    options_.addresses = {{"127.0.0.1", address::PortOf(sockets->front())}};
    for (const int socket : *sockets) close(socket);
    const std::string port = absl::StrCat(options_.addresses[0].port);
    pid_ = fork();
    if (pid_ == 0) {
      execlp("redis-server", "redis-server", "--port", port.c_str(), "--bind", "127.0.0.1", "--save", "", "--logfile",
             "/dev/null", nullptr);
      _exit(127);
    }
  }
  ~RedisProcess() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  const store::RedisOptions& options() const { return options_; }

 private:
  store::RedisOptions options_;
  pid_t pid_ = 0;
};

// The memory of one session in the Redis, with name and row.
Cell BytesOf(redisContext& context, int session) {
  const std::string key = absl::StrCat("aaren:session:", KeyOf(session));
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(
      static_cast<redisReply*>(redisCommand(&context, "MEMORY USAGE %s", key.c_str())), &freeReplyObject);
  if (reply == nullptr || reply->type != REDIS_REPLY_INTEGER) return std::monostate();
  return static_cast<int64_t>(reply->integer);
}

class BareRedis {
 public:
  BareRedis(redisContext& context, const std::vector<int>& order) : context_(context), order_(order) {}

  absl::Status Save(std::mt19937_64& random) {
    std::vector<std::string> rows;
    for (size_t i = 0; i < order_.size(); ++i) rows.push_back(RandomRows(random));
    const std::string header = store::EncodeRedisHeader(HeaderOf(0)),
                      slot = store::EncodeRedisSlot(1, {{1, {}}, rows[0]});
    absl::Status status;
    const double seconds = SecondsOf([&] {
      status = Pipeline([&](size_t i) {
        return std::vector<std::string_view>{"HSET", KeyAt(i), "h", header, "s0", slot, "r0", rows[i]};
      });
    });
    timings_.save.Add(seconds, 0);
    return status;
  }

  absl::Status Load() {
    absl::Status status;
    const double seconds = SecondsOf([&] {
      status = Pipeline(
          [&](size_t i) { return std::vector<std::string_view>{"HMGET", KeyAt(i), "h", "s0", "s1", "r0", "r1"}; });
    });
    timings_.load.Add(seconds, 0);
    return status;
  }

  const Timings& timings() const { return timings_; }

 private:
  const std::string& KeyAt(size_t i) { return key_ = absl::StrCat("bare:", KeyOf(order_[i])); }

  // Sends as many commands at once as a batch of the store.
  template <typename CommandOf>
  absl::Status Pipeline(CommandOf command_of) {
    absl::Status status;
    for (size_t begin = 0; begin < order_.size(); begin += kBatch) {
      const size_t end = std::min<size_t>(order_.size(), begin + kBatch);
      for (size_t i = begin; i < end; ++i) Append(command_of(i));
      for (size_t i = begin; i < end; ++i) status.Update(TakeReply());
    }
    return status;
  }

  absl::Status TakeReply() {
    void* reply = nullptr;
    if (redisGetReply(&context_, &reply) != REDIS_OK) return absl::UnavailableError(context_.errstr);
    const std::unique_ptr<redisReply, decltype(&freeReplyObject)> owned(static_cast<redisReply*>(reply),
                                                                        &freeReplyObject);
    return owned->type == REDIS_REPLY_ERROR ? absl::UnavailableError(owned->str) : absl::OkStatus();
  }

  void Append(const std::vector<std::string_view>& command) {
    std::vector<const char*> begins;
    std::vector<size_t> sizes;
    for (const std::string_view argument : command) {
      begins.push_back(argument.data());
      sizes.push_back(argument.size());
    }
    redisAppendCommandArgv(&context_, static_cast<int>(begins.size()), begins.data(), sizes.data());
  }

  redisContext& context_;
  const std::vector<int>& order_;
  Timings timings_;
  std::string key_;
};

}  // namespace

absl::StatusOr<std::vector<Row>> RedisRows() {
  const RedisProcess process;
  absl::StatusOr<std::unique_ptr<store::RedisStore>> store = store::RedisStore::Open(process.options());
  if (!store.ok()) return store.status();
  const std::unique_ptr<redisContext, decltype(&redisFree)> context(
      redisConnect("127.0.0.1", process.options().addresses[0].port), &redisFree);
  if (context == nullptr || context->err != 0) return absl::UnavailableError("no second connection to redis-server");
  std::mt19937_64 random(1);
  const std::vector<int> order = Shuffled(random);
  Entrant entrant(**store, order);
  BareRedis bare(*context, order);
  if (absl::Status status = RunRounds(entrant, bare, random); !status.ok()) return status;
  return StoreRows("redis", order.size(), entrant.timings(), &bare.timings(), BytesOf(*context, 0));
}

}  // namespace aaren::bench
