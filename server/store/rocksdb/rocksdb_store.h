#ifndef AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_STORE_H_
#define AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_STORE_H_

// A RocksDbStore keeps saved sessions in a folder, by RocksDB: they outlive the server.
//
// One thread does all calls but lists in their order; lists have a thread of their own. What waits when the first one
// comes back is one group: reads see the writes before them, all writes go to the log together, and then they are
// answered. So the more there is to do, the less a write costs. README.md tells what is under which key, and why
// RocksDB is set as it is.
//
// Errors: a full disk makes writes Unavailable until there is room again; sessions that are damaged answer DataLoss,
// and no others. Threading: as StateStore; answers come on those two threads.

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/store/rocksdb/blob_garbage.h"
#include "server/store/rocksdb/epoch_file.h"
#include "server/store/rocksdb/folder_lock.h"
#include "server/store/rocksdb/held_cache.h"
#include "server/store/rocksdb/ledger.h"
#include "server/store/rocksdb/lister.h"
#include "server/store/rocksdb/sparing.h"
#include "server/store/store.h"

namespace rocksdb {
class DB;
struct Options;
}  // namespace rocksdb

namespace aaren::store {

class WriteGroup;  // server/store/rocksdb/write_group.h
struct StoredHeader;

// What a write that was answered outlives.
enum class Durability {
  kProcess,  // the end of this process: the operating system has it
  kPower,    // power loss: the disk has it
};

struct RocksDbOptions {
  std::string folder;
  Durability durability = Durability::kProcess;
  // Between two looks at the folder, and two attempts to open what has failed.
  std::chrono::milliseconds pause{500};
  size_t buffer_bytes = 32 << 20;  // of writes before they are sorted, and of what is read: four times that in memory
  bool accept_loss = false;        // start with what is there, where that is less than what was written
  std::string boot = ThisBoot();
};

class RocksDbStore : public StateStore {
 public:
  static constexpr int kFiles = 512;  // open at once, about

  // Makes the folder if there is none, and a database in a new one. AlreadyExists, naming the process, if another one
  // has it open. FailedPrecondition if another version wrote it. DataLoss, naming what is missing, if the database is
  // behind what was written; nothing in it is changed then. PermissionDenied or Unavailable if it cannot be used.
  static absl::StatusOr<std::unique_ptr<RocksDbStore>> Open(const RocksDbOptions& options);

  // Answers what is under way first.
  ~RocksDbStore() override;

  std::string name() const override { return "rocksdb"; }
  uint64_t reconnects() const override { return reopened_.load(std::memory_order_relaxed); }
  void TryWrite(Answer<absl::Status> answer) override;
  void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) override;
  void Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Acquire(Acquisition acquisition, Answer<WriteResult> answer) override;
  void Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) override;
  void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) override;
  void List(std::string prefix, std::string after, size_t limit,
            Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) override;

 private:
  using Call = absl::AnyInvocable<void(WriteGroup&)>;

  RocksDbStore(FolderLock lock, const RocksDbOptions& options);
  absl::Status OpenDatabase();
  absl::Status CheckBeforeOpen(bool starts) const;
  void NoteDamage();
  void Look();
  void CheckFolder();
  void Mend();
  void Post(Call call) ABSL_LOCKS_EXCLUDED(mutex_);
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<uint64_t> TakeEpochs(WriteGroup& group, uint64_t count);

  const FolderLock lock_;
  const EpochFile epochs_;
  const RocksDbOptions options_;
  Ledger ledger_;
  const std::unique_ptr<const rocksdb::Options> settings_;
  Sparing sparing_;                  // the thread's only
  std::unique_ptr<rocksdb::DB> db_;  // the thread's only, as the next five; null while it cannot be opened
  HeldCache held_;                   // likewise
  BlobGarbage garbage_;
  absl::Status failed_;  // why nothing can be written
  bool away_ = false;    // and that is nothing but where the folder is
  std::chrono::steady_clock::time_point next_mend_{}, next_check_{};
  uint64_t next_epoch_ = 0, end_epoch_ = 0;  // those on disk as given out
  std::atomic<uint64_t> reopened_{0};
  absl::Mutex mutex_;
  std::vector<Call> calls_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Lister lister_;
  std::thread thread_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_STORE_H_
