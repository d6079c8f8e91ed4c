#ifndef AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_STORE_H_
#define AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_STORE_H_

// A RocksDbStore keeps saved sessions in a folder, by RocksDB. The sessions outlive the server.
//
// One thread does all calls in their order, except lists; lists have a thread of their own. All calls that wait when
// the thread looks are one group: reads see the writes before them, all writes go to the log together, and then the
// calls are answered. So a write costs less the more there is to do. README.md lists the keys, and the reasons for
// RocksDB's settings.
//
// Errors: a full disk makes writes Unavailable until the disk has room again. Only damaged sessions answer DataLoss.
// Threading: as StateStore; answers come on the two threads.

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

class WriteGroup;   // server/store/rocksdb/write_group.h
struct LostWrites;  // server/store/rocksdb/folder_check.h
struct StoredHeader;

// The end that an answered write outlives.
enum class Durability {
  kProcess,  // the end of this process: the operating system has the write
  kPower,    // power loss: the disk has the write
};

struct RocksDbOptions {
  std::string folder;
  Durability durability = Durability::kProcess;
  // Between two looks at the folder, and between two attempts to open a database that failed.
  std::chrono::milliseconds pause{500};
  size_t buffer_bytes = 32 << 20;  // writes before the sort, and the cache of reads: in memory four times as much
  bool accept_loss = false;        // start with fewer sessions than were written
  std::string boot = ThisBoot();
};

class RocksDbStore : public StateStore {
 public:
  static constexpr int kFiles = 512;  // open at once, about

  // Makes the folder if there is none, and a database in a new folder. AlreadyExists, naming the process, if another
  // process has the database open. FailedPrecondition if another version wrote the database. DataLoss, naming the
  // missing part, if the database has lost writes; nothing in the folder is changed then. PermissionDenied or
  // Unavailable if the folder cannot be used.
  static absl::StatusOr<std::unique_ptr<RocksDbStore>> Open(const RocksDbOptions& options);

  // Answers the calls under way first.
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
  absl::Status AcceptLoss() const;
  void TellLost(const LostWrites& lost) const;
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
  Sparing sparing_;                  // the thread's only, as the next six
  std::unique_ptr<rocksdb::DB> db_;  // null while the database cannot be opened
  HeldCache held_;
  BlobGarbage garbage_;
  absl::Status failed_;  // the reason why nothing can be written
  bool away_ = false;    // … the only reason: another folder is in the place
  std::chrono::steady_clock::time_point next_mend_{}, next_check_{};
  uint64_t next_epoch_ = 0, end_epoch_ = 0;  // epochs that the disk has as given out
  std::atomic<uint64_t> reopened_{0};
  absl::Mutex mutex_;
  std::vector<Call> calls_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Lister lister_;
  std::thread thread_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_STORE_H_
