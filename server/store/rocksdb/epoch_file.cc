#include "server/store/rocksdb/epoch_file.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "server/store/format/fields.h"
#include "server/store/rocksdb/synced_file.h"
#include "server/store/rocksdb/write_group.h"

namespace aaren::store {
namespace {

absl::StatusOr<uint64_t> ReadEpoch(rocksdb::DB& db, const FolderLock& folder) {
  std::string bytes;
  const rocksdb::Status status = db.Get({}, kEpochKey, &bytes);
  // A new database begins at 1: epoch 0 stands for "no session".
  if (status.IsNotFound()) return 1;
  if (!status.ok()) return FromRead(status, folder);
  Fields fields("the store's epochs", bytes);
  uint64_t epoch = 0;
  fields.Take(epoch, "the next epoch");
  if (absl::Status finished = fields.Finish(); !finished.ok()) return finished;
  return epoch;
}

}  // namespace

absl::StatusOr<uint64_t> EpochFile::Read() const {
  const absl::StatusOr<std::string> text = ReadWhole(path_);
  if (absl::IsNotFound(text.status())) return 0;
  if (!text.ok()) return text.status();
  uint64_t epoch = 0;
  return absl::SimpleAtoi(absl::StripAsciiWhitespace(*text), &epoch) ? epoch : 0;
}

absl::Status EpochFile::Write(uint64_t epoch) const { return ReplaceFile(path_, absl::StrCat(epoch, "\n")); }

absl::StatusOr<uint64_t> NextEpoch(rocksdb::DB& db, const FolderLock& folder, const EpochFile& file) {
  const absl::StatusOr<uint64_t> there = file.Read();
  const absl::StatusOr<uint64_t> held = ReadEpoch(db, folder);
  if (!held.ok()) return there.ok() && *there > 0 ? there : held;
  return std::max(*held, there.value_or(0));
}

}  // namespace aaren::store
