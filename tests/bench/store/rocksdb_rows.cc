// RocksDB's store under the load, beside the same bytes by a bare RocksDB with the same settings.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "server/store/format/stored_header.h"
#include "server/store/rocksdb/rocksdb_settings.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "server/store/rocksdb/write_group.h"
#include "tests/bench/store/store_load.h"
#include "tests/bench/store/store_rows.h"

namespace aaren::bench {
namespace {

constexpr size_t kBuffer = 32 << 20;

absl::Status ToStatus(const rocksdb::Status& status) {
  return status.ok() ? absl::OkStatus() : absl::UnavailableError(status.ToString());
}

class Bare {
 public:
  Bare(rocksdb::DB& db, const std::vector<int>& order) : db_(db), order_(order) {}

  absl::Status Save(std::mt19937_64& random) {
    std::vector<std::string> rows;
    for (size_t i = 0; i < order_.size(); ++i) rows.push_back(RandomRows(random));
    const std::string header = store::EncodeHeader({HeaderOf(0), {store::SlotOf(0, {{1, {}}, rows[0]})}});
    absl::Status status;
    const double seconds = SecondsOf([&] {
      for (size_t begin = 0; begin < rows.size(); begin += kBatch) {
        rocksdb::WriteBatch batch;
        for (size_t i = begin; i < std::min(rows.size(), begin + kBatch); ++i) {
          const std::string key = KeyOf(order_[i]);
          batch.Put(store::RowsKey(key, 0), rows[i]);
          batch.Put(store::HeaderKey(key), header);
        }
        status.Update(ToStatus(db_.Write({}, &batch)));
      }
    });
    timings_.save.Add(seconds, 0);
    return status;
  }

  absl::Status Load() {
    absl::Status status;
    const double seconds = SecondsOf([&] {
      std::string value;
      for (const int session : order_) {
        const std::string key = KeyOf(session);
        status.Update(ToStatus(db_.Get({}, store::HeaderKey(key), &value)));
        status.Update(ToStatus(db_.Get({}, store::RowsKey(key, 0), &value)));
      }
    });
    timings_.load.Add(seconds, 0);
    return status;
  }

  const Timings& timings() const { return timings_; }

 private:
  rocksdb::DB& db_;
  const std::vector<int>& order_;
  Timings timings_;
};

}  // namespace

int64_t BytesOf(const std::string& folder) {
  int64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<int64_t>(entry.file_size());
  }
  return bytes;
}

absl::StatusOr<std::vector<Row>> RocksDbRows(const std::string& folder) {
  std::mt19937_64 random(1);
  const std::vector<int> order = Shuffled(random);
  absl::StatusOr<std::unique_ptr<store::RocksDbStore>> store =
      store::RocksDbStore::Open({.folder = folder + "/store", .buffer_bytes = kBuffer});
  if (!store.ok()) return store.status();
  rocksdb::DB* opened = nullptr;
  rocksdb::Options settings = store::RocksDbSettings(kBuffer);
  settings.create_if_missing = true;
  if (absl::Status status = ToStatus(rocksdb::DB::Open(settings, folder + "/bare", &opened)); !status.ok()) {
    return status;
  }
  const std::unique_ptr<rocksdb::DB> db(opened);
  Entrant entrant(**store, order);
  Bare bare(*db, order);
  if (absl::Status status = RunRounds(entrant, bare, random); !status.ok()) return status;
  return StoreRows("rocksdb", order.size(), entrant.timings(), &bare.timings(),
                   BytesOf(folder + "/store") / static_cast<int64_t>(order.size()));
}

}  // namespace aaren::bench
