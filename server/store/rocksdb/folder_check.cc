#include "server/store/rocksdb/folder_check.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "rocksdb/db.h"
#include "rocksdb/wal_filter.h"
#include "server/store/format/fields.h"
#include "server/store/rocksdb/synced_file.h"
#include "server/store/rocksdb/write_group.h"

namespace aaren::store {
namespace {

// The numbers of the writes in the logs that RocksDB would recover. RocksDB does not notice a missing log; the numbers
// show the gap. Every batch is passed over: the logs are only looked through.
class LoggedWrites : public rocksdb::WalFilter {
 public:
  WalProcessingOption LogRecordFound(unsigned long long, const std::string&,  // NOLINT: RocksDB's own type
                                     const rocksdb::WriteBatch& batch, rocksdb::WriteBatch*, bool*) override {
    // A batch begins with the number of its first write; RocksDB has no call for the number.
    Fields fields("a batch", absl::string_view(batch.Data()).substr(0, sizeof(uint64_t)));
    uint64_t first = 0;
    fields.Take(first, "its first write");
    if (batch.Count() > 0) ranges_.emplace_back(first, first + batch.Count() - 1);
    return WalProcessingOption::kIgnoreCurrentRecord;
  }
  const char* Name() const override { return "LoggedWrites"; }

  // How many of the writes up to `written` are neither in the logs nor up to `flushed`.
  uint64_t Missing(uint64_t flushed, uint64_t written) const {
    uint64_t missing = 0, there = flushed;
    for (const auto& [first, last] : ranges_) {
      const uint64_t before = std::min(first - 1, written);
      if (before > there) missing += before - there;
      there = std::max(there, last);
    }
    return missing + (written > there ? written - there : 0);
  }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  // first and last, rising
};

// RocksDB writes the number of a MANIFEST with six digits or more: the longer name is later.
bool IsLater(const std::string& name, const std::string& other) {
  return name.size() != other.size() ? name.size() > other.size() : name > other;
}

absl::Status CheckFile(const std::string& database, const std::string& name, uint64_t size) {
  std::error_code error;
  const uint64_t there = std::filesystem::file_size(absl::StrCat(database, "/", name), error);
  if (error == std::errc::no_such_file_or_directory) return absl::DataLossError(name + " is missing");
  if (error) return absl::UnavailableError(absl::StrCat(name, ": ", error.message()));
  return there >= size ? absl::OkStatus()
                       : absl::DataLossError(absl::StrCat(name, " has ", there, " of ", size, " bytes"));
}

// RocksDB reports a missing sorted file under another name, and a missing file of rows only when a session is read.
absl::Status CheckFiles(rocksdb::DB& db, const std::string& database) {
  rocksdb::ColumnFamilyMetaData held;
  db.GetColumnFamilyMetaData(&held);
  absl::Status status;
  for (const rocksdb::LevelMetaData& level : held.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      status.Update(CheckFile(database, file.relative_filename, file.size));
    }
  }
  for (const rocksdb::BlobMetaData& blob : held.blob_files) {
    status.Update(CheckFile(database, std::filesystem::path(blob.blob_file_name).filename(), blob.blob_file_size));
  }
  return status;
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenToRead(const FolderLock& folder, const rocksdb::Options& reading) {
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(reading, folder.path() + "/rocksdb", &opened);
  if (status.ok()) return std::unique_ptr<rocksdb::DB>(opened);
  const absl::Status why = FromRead(status, folder);
  return absl::Status(why.code(), absl::StrCat("RocksDB cannot open it: ", why.message()));
}

// Why RocksDB refuses the database: by the name of a missing file, if a file is missing.
absl::Status WhyNot(const absl::Status& strict, const FolderLock& folder, rocksdb::Options reading) {
  // With paranoid checks RocksDB refuses the database before telling the files.
  reading.paranoid_checks = false;
  const absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenToRead(folder, reading);
  const absl::Status files = db.ok() ? CheckFiles(**db, folder.path() + "/rocksdb") : absl::OkStatus();
  return files.ok() ? strict : files;
}

}  // namespace

absl::Status CheckManifest(const std::string& database, const Recorded& recorded) {
  const absl::StatusOr<std::string> current = ReadWhole(database + "/CURRENT");
  if (absl::IsNotFound(current.status())) return absl::DataLossError("CURRENT is missing");
  if (!current.ok()) return current.status();
  if (!absl::StartsWith(*current, "MANIFEST-") || current->back() != '\n')
    return absl::DataLossError("CURRENT is damaged");
  const std::string name(absl::StripSuffix(*current, "\n"));
  const absl::StatusOr<std::string> bytes = ReadWhole(absl::StrCat(database, "/", name));
  if (IsLater(recorded.name, name))
    return absl::DataLossError(absl::StrCat("CURRENT names ", name, ", and ", recorded.name, " was written"));
  if (absl::IsNotFound(bytes.status())) return absl::DataLossError(name + " is missing");
  if (!bytes.ok()) return bytes.status();
  // A MANIFEST ahead of the ledger is no loss: a kill came between the writing of the two.
  if (name != recorded.name || absl::StartsWith(*bytes, recorded.bytes)) return absl::OkStatus();
  if (bytes->size() >= recorded.bytes.size()) return absl::DataLossError(name + " is not what was written");
  return absl::DataLossError(
      absl::StrCat(name, " has ", bytes->size(), " bytes, and ", recorded.bytes.size(), " were written"));
}

absl::StatusOr<LostWrites> CheckDatabase(const FolderLock& folder, const rocksdb::Options& settings,
                                         const Ledger& ledger) {
  const std::string database = folder.path() + "/rocksdb";
  const absl::Status manifest = CheckManifest(database, ledger.ReadRecorded().value_or(Recorded()));
  if (!manifest.ok()) return manifest;
  LoggedWrites logged;
  rocksdb::Options reading = settings;
  reading.wal_filter = &logged;
  // A look at the database must not write the ledger.
  reading.listeners.clear();
  const absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenToRead(folder, reading);
  if (!db.ok()) return WhyNot(db.status(), folder, reading);
  if (absl::Status files = CheckFiles(**db, database); !files.ok()) return files;
  const std::optional<Answered> answered = ledger.ReadAnswered();
  if (!answered) return LostWrites();
  // Every batch of the logs was passed over: RocksDB's last number is the MANIFEST's, the last write in sorted files.
  // A flush adds the number to the MANIFEST in one record with the new file. Flushes come in the order of their writes,
  // and RocksDB deletes a log only afterwards. An open flushes the recovered writes into a new MANIFEST, and CURRENT
  // names the new MANIFEST once all of it is synced. So at every instant a write up to the mark is in files or logs.
  const bool same_boot = !ledger.boot().empty() && answered->boot == ledger.boot();
  return LostWrites{logged.Missing((*db)->GetLatestSequenceNumber(), answered->written), answered->synced || same_boot};
}

}  // namespace aaren::store
