#ifndef AAREN_SERVER_STORE_ROCKSDB_SPARING_H_
#define AAREN_SERVER_STORE_ROCKSDB_SPARING_H_

// Sparing keeps RocksDB from rewriting its files for an hour after it has met one that cannot be read.
//
// What it cannot read it cannot rewrite either, and once it has tried it takes no more writes. Sessions of sound bytes
// must go on; files grow in number meanwhile, and no number of them may stop writes. Afterwards it may try again, since
// the damage may be gone with the sessions that had it. Writes are held back by the number of files only when they are
// few again: to rewrite hundreds takes a while. Threading: belongs to the store's thread.

#include <chrono>

namespace rocksdb {
class DB;
class Status;
struct Options;
}  // namespace rocksdb

namespace aaren::store {

// Whether bytes are there that cannot be read: they are not what was written, or the disk does not give them (EIO). A
// full disk, one that is read-only, and a file that is gone are something else.
bool IsDamage(const rocksdb::Status& status);

class Sparing {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `usual`: as the database is set where nothing is spared. It outlives this.
  explicit Sparing(const rocksdb::Options& usual) : usual_(usual) {}

  // Damage was met. The database is to be opened again.
  void Begin(Time now);

  // Sets what a database is opened with.
  void Apply(rocksdb::Options& settings) const;

  // Goes on as time passes, once a second. What cannot be set is tried again.
  void Look(rocksdb::DB& db, Time now);

  bool spares() const { return phase_ == Phase::kSparing; }

 private:
  enum class Phase { kNone, kSparing, kCatchingUp };

  const rocksdb::Options& usual_;
  Phase phase_ = Phase::kNone;
  Time until_{}, next_{};
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_SPARING_H_
