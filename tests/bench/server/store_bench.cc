// The stores under the calls of a busy server: saves in batches and loads, many under way at once. Beside each RocksDB
// row the same bytes by a bare RocksDB of the same settings, in turns with it; beside each Redis row the same bytes by a
// bare pipeline of hiredis to the same Redis.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "hiredis/hiredis.h"
#include "rocksdb/db.h"
#include "server/store/memory_store.h"
#include "server/store/redis/redis_session.h"
#include "server/store/redis/redis_store.h"
#include "server/store/rocksdb/rocksdb_settings.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "server/store/rocksdb/write_group.h"
#include "server/store/stored_header.h"
#include "tests/bench/bench.h"

namespace aaren::bench {

const char kStoreNote[] =
    R"(rows of 8,192 bytes, saves in batches of 512 with eight batches under way, loads in random order with 512 under way.
bare: a WriteBatch of the same keys and values, and two Gets a session, by a RocksDB of the same settings in the same
minute. Of Redis: a pipeline of as many HSET or HMGET by hiredis alone, to the same redis-server, which is started here,
without a file; left out where there is none. p99_us: from a call to its answer, all that wait before it included. Best of three rounds each.)";

namespace {

constexpr int kSessions = 20'000;
constexpr int kBatch = 512;
constexpr int kRounds = 3;
constexpr size_t kRowBytes = 8192;
constexpr size_t kBuffer = 32 << 20;

using Seconds = std::chrono::duration<double>;

double SecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

std::string KeyOf(int session) { return absl::StrCat("default/session-", session); }

// Rows that no compression makes smaller, another each time.
std::string RowsOf(std::mt19937_64& random) {
  std::string rows(kRowBytes, '\0');
  for (size_t i = 0; i + 8 <= rows.size(); i += 8) {
    const uint64_t bits = random();
    std::copy_n(reinterpret_cast<const char*>(&bits), 8, rows.begin() + static_cast<ptrdiff_t>(i));
  }
  return rows;
}

store::SessionHeader HeaderOf(int session) {
  store::SessionHeader header;
  header.key = KeyOf(session);
  header.epoch = header.incarnation = 1;
  header.origin = {"aaren-univariate:1", std::string(64, 'f'), "exact", 1, 1};
  return header;
}

// Counts calls under way and how long each took.
class Window {
 public:
  explicit Window(int most) : most_(most) {}

  // Waits until there is room; the result is to be called at the answer.
  std::function<void()> Begin() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](Window* self) { return self->under_way_ < self->most_; }, this));
    ++under_way_;
    return [this, start = std::chrono::steady_clock::now()] {
      absl::MutexLock done(&mutex_);
      --under_way_;
      seconds_.push_back(Seconds(std::chrono::steady_clock::now() - start).count());
    };
  }

  void Wait() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](Window* self) { return self->under_way_ == 0; }, this));
  }

  double P99Micros() {
    absl::MutexLock lock(&mutex_);
    std::sort(seconds_.begin(), seconds_.end());
    return seconds_.empty() ? 0 : seconds_[seconds_.size() * 99 / 100] * 1e6;
  }

 private:
  const int most_;
  absl::Mutex mutex_;
  int under_way_ = 0;
  std::vector<double> seconds_;
};

// What a piece of work took; the best of its rounds.
struct Timing {
  double seconds = 1e9;
  double p99_us = 0;
  void Add(double took, double p99) {
    if (took >= seconds) return;
    seconds = took;
    p99_us = p99;
  }
  double per_second() const { return kSessions / seconds; }
};

class Entrant {
 public:
  Entrant(store::StateStore& store, const std::vector<int>& order) : store_(store), order_(order) {}

  void Acquire() {
    Window window(kBatch);
    const double seconds = SecondsOf([&] {
      for (int i = 0; i < kSessions; ++i) {
        store::Acquisition acquisition;
        static_cast<store::SessionHeader&>(acquisition.record) = HeaderOf(i);
        store_.Acquire(std::move(acquisition), [done = window.Begin()](const store::WriteResult&) { done(); });
      }
      window.Wait();
    });
    acquire_.Add(seconds, window.P99Micros());
  }

  void Save(std::mt19937_64& random) {
    std::deque<std::vector<store::SaveWrite>> batches;
    for (int i = 0; i < kSessions; ++i) {
      if (i % kBatch == 0) batches.emplace_back();
      batches.back().push_back({HeaderOf(order_[static_cast<size_t>(i)]), {{1, {}}, RowsOf(random)}, std::nullopt});
    }
    Window window(8);
    const double seconds = SecondsOf([&] {
      for (auto& batch : batches) {
        store_.Save(std::move(batch), [done = window.Begin()](const std::vector<store::WriteResult>&) { done(); });
      }
      window.Wait();
    });
    save_.Add(seconds, window.P99Micros());
  }

  void Load() {
    Window window(kBatch);
    const double seconds = SecondsOf([&] {
      for (const int session : order_) {
        store_.Load(KeyOf(session), [done = window.Begin()](const absl::StatusOr<store::SessionRecord>&) { done(); });
      }
      window.Wait();
    });
    load_.Add(seconds, window.P99Micros());
  }

  Timing acquire_, save_, load_;

 private:
  store::StateStore& store_;
  const std::vector<int>& order_;
};

class Bare {
 public:
  Bare(rocksdb::DB& db, const std::vector<int>& order) : db_(db), order_(order) {}

  void Save(std::mt19937_64& random) {
    std::vector<std::string> rows;
    for (int i = 0; i < kSessions; ++i) rows.push_back(RowsOf(random));
    const std::string header = store::EncodeHeader({HeaderOf(0), {store::SlotOf(0, {{1, {}}, rows[0]})}});
    const double seconds = SecondsOf([&] {
      for (size_t begin = 0; begin < rows.size(); begin += kBatch) {
        rocksdb::WriteBatch batch;
        for (size_t i = begin; i < std::min(rows.size(), begin + kBatch); ++i) {
          const std::string key = KeyOf(order_[i]);
          batch.Put(store::RowsKey(key, 0), rows[i]);
          batch.Put(store::HeaderKey(key), header);
        }
        db_.Write({}, &batch);
      }
    });
    save_.Add(seconds, 0);
  }

  void Load() {
    const double seconds = SecondsOf([&] {
      std::string value;
      for (const int session : order_) {
        const std::string key = KeyOf(session);
        db_.Get({}, store::HeaderKey(key), &value);
        db_.Get({}, store::RowsKey(key, 0), &value);
      }
    });
    load_.Add(seconds, 0);
  }

  Timing save_, load_;

 private:
  rocksdb::DB& db_;
  const std::vector<int>& order_;
};

int64_t BytesOf(const std::string& folder) {
  int64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
  }
  return bytes;
}

Row RowOf(const std::string& store, const char* operation, const Timing& timing, const Timing* bare, Cell bytes) {
  return {{"store", store},
          {"operation", std::string(operation)},
          {"sessions", int64_t{kSessions}},
          {"per_second", timing.per_second()},
          {"p99_us", timing.p99_us},
          {"bare_per_second", bare != nullptr ? Cell(bare->per_second()) : Cell(std::monostate())},
          {"ratio", bare != nullptr ? Cell(timing.per_second() / bare->per_second()) : Cell(std::monostate())},
          {"bytes_per_session", std::move(bytes)}};
}

std::vector<int> Shuffled(std::mt19937_64& random) {
  std::vector<int> order(kSessions);
  for (int i = 0; i < kSessions; ++i) order[static_cast<size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

absl::Status MeasureRocksDb(const std::string& folder, std::vector<Row>& rows) {
  std::mt19937_64 random(1);
  const std::vector<int> order = Shuffled(random);
  absl::StatusOr<std::unique_ptr<store::RocksDbStore>> store =
      store::RocksDbStore::Open({.folder = folder + "/store", .buffer_bytes = kBuffer});
  if (!store.ok()) return store.status();
  rocksdb::DB* opened = nullptr;
  rocksdb::Options settings = store::RocksDbSettings(kBuffer);
  settings.create_if_missing = true;
  if (const rocksdb::Status status = rocksdb::DB::Open(settings, folder + "/bare", &opened); !status.ok()) {
    return store::FromWrite(status);
  }
  const std::unique_ptr<rocksdb::DB> db(opened);
  Entrant entrant(**store, order);
  Bare bare(*db, order);
  entrant.Acquire();
  for (int round = 0; round < kRounds; ++round) {
    entrant.Save(random);
    bare.Save(random);
    entrant.Load();
    bare.Load();
  }
  rows.push_back(RowOf("rocksdb", "acquire", entrant.acquire_, nullptr, {std::monostate()}));
  rows.push_back(RowOf("rocksdb", "save", entrant.save_, &bare.save_, {BytesOf(folder + "/store") / kSessions}));
  rows.push_back(RowOf("rocksdb", "load", entrant.load_, &bare.load_, {std::monostate()}));
  return absl::OkStatus();
}

// A redis-server of this bench's own, on a port that was free.
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

class BareRedis {
 public:
  BareRedis(redisContext& context, const std::vector<int>& order) : context_(context), order_(order) {}

  void Save(std::mt19937_64& random) {
    std::vector<std::string> rows;
    for (int i = 0; i < kSessions; ++i) rows.push_back(RowsOf(random));
    const std::string header = store::EncodeRedisHeader(HeaderOf(0)),
                      slot = store::EncodeRedisSlot(1, {{1, {}}, rows[0]});
    const double seconds = SecondsOf([&] {
      Pipeline([&](size_t i) {
        return std::vector<std::string_view>{"HSET", KeyAt(i), "h", header, "s0", slot, "r0", rows[i]};
      });
    });
    save_.Add(seconds, 0);
  }

  void Load() {
    const double seconds = SecondsOf([&] {
      Pipeline([&](size_t i) { return std::vector<std::string_view>{"HMGET", KeyAt(i), "h", "s0", "s1", "r0", "r1"}; });
    });
    load_.Add(seconds, 0);
  }

  Timing save_, load_;

 private:
  const std::string& KeyAt(size_t i) { return key_ = absl::StrCat("bare:", KeyOf(order_[i])); }

  // As many commands at once as the store has in a batch.
  template <typename CommandOf>
  void Pipeline(CommandOf command_of) {
    for (size_t begin = 0; begin < kSessions; begin += kBatch) {
      const size_t end = std::min<size_t>(kSessions, begin + kBatch);
      for (size_t i = begin; i < end; ++i) Append(command_of(i));
      for (size_t i = begin; i < end; ++i) {
        void* reply = nullptr;
        if (redisGetReply(&context_, &reply) == REDIS_OK) freeReplyObject(reply);
      }
    }
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
  std::string key_;
};

absl::Status MeasureRedis(std::vector<Row>& rows) {
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
  entrant.Acquire();
  for (int round = 0; round < kRounds; ++round) {
    entrant.Save(random);
    bare.Save(random);
    entrant.Load();
    bare.Load();
  }
  rows.push_back(RowOf("redis", "acquire", entrant.acquire_, nullptr, {std::monostate()}));
  rows.push_back(RowOf("redis", "save", entrant.save_, &bare.save_, {std::monostate()}));
  rows.push_back(RowOf("redis", "load", entrant.load_, &bare.load_, {std::monostate()}));
  return absl::OkStatus();
}

void MeasureMemory(std::vector<Row>& rows) {
  std::mt19937_64 random(1);
  const std::vector<int> order = Shuffled(random);
  store::MemoryStore store;
  Entrant entrant(store, order);
  entrant.Acquire();
  for (int round = 0; round < kRounds; ++round) {
    entrant.Save(random);
    entrant.Load();
  }
  rows.push_back(RowOf("memory", "acquire", entrant.acquire_, nullptr, {std::monostate()}));
  rows.push_back(RowOf("memory", "save", entrant.save_, nullptr, {std::monostate()}));
  rows.push_back(RowOf("memory", "load", entrant.load_, nullptr, {std::monostate()}));
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunStoreBench() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / absl::StrCat("aaren_store_bench_", getpid());
  std::vector<Row> rows;
  MeasureMemory(rows);
  const absl::Status status = MeasureRocksDb(folder.string(), rows);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!status.ok()) return status;
  if (const absl::Status redis = MeasureRedis(rows); !redis.ok()) {
    std::fprintf(stderr, "without Redis: %s\n", std::string(redis.message()).c_str());
  }
  return rows;
}

}  // namespace aaren::bench
