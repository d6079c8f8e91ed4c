// The stores under the calls of a busy server, and a busy server over a store (store_rows.h).

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/memory_store.h"
#include "tests/bench/bench.h"
#include "tests/bench/store/store_load.h"
#include "tests/bench/store/store_rows.h"

namespace aaren::bench {

const char kStoreNote[] =
    R"(rows of 8,192 bytes, saves in batches of 512 with eight batches under way, loads in random order with 512 under way.
bare: a WriteBatch of the same keys and values, and two Gets a session, by a RocksDB of the same settings in the same
minute. Of Redis: a pipeline of as many HSET or HMGET by hiredis alone, to the same redis-server, which is started here,
without a file; left out where there is none. p99_us: from a call to its answer, all that wait before it included. Best of three rounds each.
tokens, commits: aaren-server on one shard and RocksDB; every session has one token under way. interval beside none, in
three turns each on a server each: medians. commits: calls of the store that save, each one write of many sessions.
leave: from SIGTERM to the end of the process, no session saved before; the server gives clients two seconds to move on.)";

namespace {

// Memory has no roof.
struct NoRoof {
  absl::Status Save(std::mt19937_64&) { return absl::OkStatus(); }
  absl::Status Load() { return absl::OkStatus(); }
};

}  // namespace

absl::StatusOr<std::vector<Row>> MemoryRows() {
  std::mt19937_64 random(1);
  const std::vector<int> order = Shuffled(random);
  store::MemoryStore store;
  Entrant entrant(store, order);
  NoRoof roof;
  if (absl::Status status = RunRounds(entrant, roof, random); !status.ok()) return status;
  return StoreRows("memory", order.size(), entrant.timings(), nullptr, std::monostate());
}

namespace {

void Append(std::vector<Row>&& more, std::vector<Row>& rows) {
  std::move(more.begin(), more.end(), std::back_inserter(rows));
}

absl::StatusOr<std::vector<Row>> Measure(const std::string& folder) {
  absl::StatusOr<std::vector<Row>> rows = MemoryRows();
  if (!rows.ok()) return rows.status();
  absl::StatusOr<std::vector<Row>> rocksdb = RocksDbRows(folder);
  if (!rocksdb.ok()) return rocksdb.status();
  Append(*std::move(rocksdb), *rows);
  if (absl::StatusOr<std::vector<Row>> redis = RedisRows(); redis.ok()) {
    Append(*std::move(redis), *rows);
  } else if (absl::IsUnavailable(redis.status())) {
    std::fprintf(stderr, "without Redis: %s\n", std::string(redis.status().message()).c_str());
  } else {
    return redis.status();
  }
  for (const auto measure : {IntervalRows, EveryTokenRows, LeavingRows}) {
    absl::StatusOr<std::vector<Row>> more = measure(folder);
    if (!more.ok()) return more.status();
    Append(*std::move(more), *rows);
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunStoreBench() {
  const std::string folder =
      (std::filesystem::temp_directory_path() / absl::StrCat("aaren_store_bench_", getpid())).string();
  absl::StatusOr<std::vector<Row>> rows = Measure(folder);
  std::error_code ignored;
  if (rows.ok()) std::filesystem::remove_all(folder, ignored);
  return rows;
}

}  // namespace aaren::bench
