#ifndef AAREN_SERVER_STORE_ROCKSDB_SPARING_H_
#define AAREN_SERVER_STORE_ROCKSDB_SPARING_H_

// Sparing keeps RocksDB from rewriting files for an hour after a file could not be read.
//
// RocksDB cannot rewrite bytes that it cannot read, and takes no more writes after the attempt. Sessions with sound
// bytes must go on. Meanwhile the number of files grows, and must not stop writes. After the hour RocksDB may try
// again: the damage may be gone with the damaged sessions. RocksDB may hold writes back for too many files only after
// the files are few again, since a rewrite of hundreds takes a while. Threading: belongs to the store's thread.

#include <chrono>

namespace rocksdb {
class DB;
class Status;
struct Options;
}  // namespace rocksdb

namespace aaren::store {

// True if bytes cannot be read: a checksum does not match, or the disk answers EIO. A full disk, a read-only disk and a
// missing file are no damage.
bool IsDamage(const rocksdb::Status& status);

class Sparing {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `usual` are the settings of a database without sparing, and outlive this.
  explicit Sparing(const rocksdb::Options& usual) : usual_(usual) {}

  // Called when damage was met. The caller then opens the database again.
  void Begin(Time now);

  // Changes the settings with which a database will be opened.
  void Apply(rocksdb::Options& settings) const;

  // Takes the steps that are due, once a second. A setting that RocksDB refuses is tried again.
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
