#include "server/store/rocksdb/salvage.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/wal_filter.h"
#include "server/operate/log/log.h"
#include "server/store/rocksdb/epoch_file.h"
#include "server/store/rocksdb/folder_check.h"
#include "server/store/rocksdb/header_cursor.h"
#include "server/store/rocksdb/ledger.h"
#include "server/store/rocksdb/rocksdb_settings.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "server/store/rocksdb/synced_file.h"
#include "server/store/rocksdb/write_group.h"

namespace aaren::store {
namespace {

namespace fs = std::filesystem;
using Tell = std::function<void(const std::string&)>;

constexpr size_t kBuffer = 32 << 20;

absl::Status PutManifest(const std::string& database, const Recorded& recorded) {
  absl::Status put = ReplaceFile(absl::StrCat(database, "/", recorded.name), recorded.bytes);
  if (put.ok()) put = ReplaceFile(database + "/CURRENT", recorded.name + "\n");
  return put;
}

// Fills a folder with links to all files of a database, and the better MANIFEST of two.
absl::Status LinkAll(const FolderLock& from, const Ledger& ledger, const std::string& links) {
  const std::string database = from.path() + "/rocksdb";
  const std::optional<Recorded> recorded = ledger.ReadRecorded();
  const absl::Status own = CheckManifest(database, recorded.value_or(Recorded()));
  std::error_code error;
  fs::create_directory(links, error);
  for (auto entry = fs::directory_iterator(database, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    // The ledger's copy takes the place of a MANIFEST that is behind.
    const bool names_files = name == "CURRENT" || absl::StartsWith(name, "MANIFEST-");
    if (name == "LOCK" || (names_files && !own.ok())) continue;
    fs::create_symlink(entry->path(), links + "/" + name, error);
  }
  if (error) return absl::UnavailableError(absl::StrCat(from.Shown(database), ": ", error.message()));
  if (own.ok()) return own;
  if (recorded) return PutManifest(links, *recorded);
  return absl::UnavailableError(absl::StrCat(own.message(), ", and there is no ledger that can be read"));
}

// The keys of headers in the logs.
class NamesInLogs : public rocksdb::WalFilter, rocksdb::WriteBatch::Handler {
 public:
  WalProcessingOption LogRecordFound(unsigned long long, const std::string&,  // NOLINT: RocksDB's own type
                                     const rocksdb::WriteBatch& batch, rocksdb::WriteBatch*, bool*) override {
    (void)batch.Iterate(this);
    return WalProcessingOption::kContinueProcessing;
  }
  const char* Name() const override { return "NamesInLogs"; }
  rocksdb::Status PutCF(uint32_t, const rocksdb::Slice& key, const rocksdb::Slice&) override {
    // A deletion in a later log does not take the name away: CopyOne asks the database, which knows the deletion.
    if (key.starts_with("h")) names.insert(key.ToString());
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(uint32_t, const rocksdb::Slice&) override { return rocksdb::Status::OK(); }

  std::set<std::string> names;
};

// The keys of headers in one sorted file.
class NamesInFile {
 public:
  explicit NamesInFile(const std::string& path) : name(fs::path(path).filename()), reader_(RocksDbSettings(1 << 20)) {
    opened_ = reader_.Open(path);
    if (opened_.ok()) Seek("h");
  }
  const rocksdb::Status& opened() const { return opened_; }

  // None at the end.
  std::optional<std::string> Name() {
    while (opened_.ok() && !cursor_.Valid()) {
      if (const std::string at = cursor_.GaveWayAt(); at > last_) {
        Seek(at);
        continue;
      }
      damaged_ |= !cursor_.status().ok();
      if (!cursor_.SeekBehindDamage(last_)) return std::nullopt;
    }
    return opened_.ok() ? std::optional(cursor_.key()) : std::nullopt;
  }
  void Next() {
    last_ = cursor_.key();
    cursor_.Next();
  }

  // Some names were left out, since the bytes around the names cannot be read.
  bool damaged() const { return damaged_; }

  const std::string name;

 private:
  void Seek(const std::string& key) {
    last_ = key;
    cursor_.Seek(key);
  }

  rocksdb::SstFileReader reader_;
  rocksdb::Status opened_;
  std::string last_;
  bool damaged_ = false;
  HeaderCursor cursor_{[this](const rocksdb::ReadOptions& options) { return reader_.NewIterator(options); }, ""};
};

class Salvager {
 public:
  Salvager(const FolderLock& from, const std::string& to, const Tell& tell)
      : from_(from), to_(to), links_(to + "/reading"), tell_(tell), ledger_(from.path(), false, ThisBoot()) {}

  absl::StatusOr<Salvaged> Run() {
    const absl::StatusOr<LostWrites> lost = CheckDatabase(from_, RocksDbSettings(kBuffer, &from_), ledger_);
    if (!lost.ok()) Miss(lost.status().message());
    if (lost.ok() && lost->count > 0) Miss(absl::StrCat("the log lacks ", lost->count, " of the last writes"));
    if (absl::Status linked = LinkAll(from_, ledger_, links_); !linked.ok()) return linked;
    if (absl::Status opened = OpenLinks(); !opened.ok()) return opened;
    OpenFiles();
    absl::StatusOr<std::unique_ptr<RocksDbStore>> target = RocksDbStore::Open({.folder = to_});
    if (!target.ok()) return target.status();
    while (const std::optional<std::string> name = NextName()) {
      // Keys of headers begin with the letter h, and keys of sessions do not.
      if (absl::Status copied = CopyOne(**target, name->substr(1)); !copied.ok()) return copied;
    }
    for (const auto& file : files_) {
      if (file->damaged()) Miss(absl::StrCat(file->name, ": sessions of bytes that cannot be read have no name now"));
    }
    // The new store closes before its file of epochs is replaced.
    target->reset();
    const EpochFile epochs(from_.path());
    // No epoch is given out twice, even if both records of the old folder are damaged.
    const uint64_t next = std::max(NextEpoch(*db_, from_, epochs).value_or(1), last_epoch_ + 1);
    if (absl::Status written = EpochFile(to_).Write(next); !written.ok()) return written;
    return done_;
  }

 private:
  void Miss(absl::string_view what) {
    done_.all = false;
    tell_(from_.Shown(what));
  }

  absl::Status OpenLinks() {
    rocksdb::Options reading = RocksDbSettings(kBuffer, &from_);
    reading.wal_filter = &in_logs_;
    reading.paranoid_checks = false;  // files may be missing
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(reading, links_, &opened);
    db_.reset(opened);
    return status.ok() ? absl::OkStatus() : absl::UnavailableError(from_.Shown(status.ToString()));
  }

  void OpenFiles() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const rocksdb::LiveFileMetaData& file : files) {
      const std::string name = fs::path(file.name).filename();
      auto names = std::make_unique<NamesInFile>(links_ + "/" + name);
      if (names->opened().ok()) {
        files_.push_back(std::move(names));
      } else {
        Miss(absl::StrCat(name, ": sessions that are nowhere else have no name now: of ", file.num_entries,
                          " keys from '", absl::CEscape(file.smallestkey), "' to '", absl::CEscape(file.largestkey),
                          "'"));
      }
    }
  }

  // The least key of a header that is left in any file or log.
  std::optional<std::string> NextName() {
    std::optional<std::string> least;
    if (!in_logs_.names.empty()) least = *in_logs_.names.begin();
    for (const auto& file : files_) {
      const std::optional<std::string> name = file->Name();
      if (name && (!least || *name < *least)) least = *name;
    }
    if (!least) return least;
    // A name may be in several files and logs: every copy is passed.
    in_logs_.names.erase(*least);
    for (const auto& file : files_) {
      if (file->Name() == least) file->Next();
    }
    return least;
  }

  // An error belongs to the new folder.
  absl::Status CopyOne(StateStore& target, const std::string& key) {
    absl::StatusOr<SessionRecord> record = WriteGroup(db_.get(), held_, from_, ledger_, {}).Session(key);
    if (absl::IsNotFound(record.status())) return absl::OkStatus();  // it was deleted
    const absl::Status damage = record.ok() ? record->damage : record.status();
    if (!damage.ok()) {
      ++done_.unreadable;
      tell_(absl::StrCat("session '", absl::CEscape(key), "'", record.ok() ? ", one of two saves: " : ": ",
                         from_.Shown(damage.message())));
    }
    if (!record.ok()) return absl::OkStatus();
    last_epoch_ = std::max(last_epoch_, record->epoch);
    std::promise<WriteResult> written;
    // An acquisition from epoch 0 writes the header and all saves at once.
    target.Acquire({*std::move(record), 0, std::nullopt, std::nullopt},
                   [&written](WriteResult result) { written.set_value(std::move(result)); });
    ++done_.copied;
    return written.get_future().get().status;
  }

  const FolderLock& from_;
  const std::string to_, links_;
  const Tell& tell_;
  Ledger ledger_;  // nothing is written to it
  Salvaged done_;
  NamesInLogs in_logs_;
  std::unique_ptr<rocksdb::DB> db_;
  HeldCache held_{0};
  std::vector<std::unique_ptr<NamesInFile>> files_;
  uint64_t last_epoch_ = 0;
};

// `path`, or path.2 and so on: the first that is not there.
std::string FreeName(const std::string& path) {
  std::string name = path;
  std::error_code error;
  for (int i = 2; fs::exists(name, error); ++i) name = absl::StrCat(path, ".", i);
  return name;
}

void Empty(const std::string& folder) {
  std::error_code error, ignored;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

absl::StatusOr<Salvaged> Salvage(const FolderLock& from, const std::string& to, const Tell& tell) {
  std::error_code error;
  if (fs::exists(to, error) && !fs::is_empty(to, error)) {
    return absl::AlreadyExistsError(absl::StrCat(to, " is there, and is no empty folder"));
  }
  fs::create_directories(to, error);
  if (error) return absl::UnavailableError(absl::StrCat(to, ": ", error.message()));
  (void)chmod(to.c_str(), S_IRWXU);
  absl::StatusOr<Salvaged> done = Salvager(from, to, tell).Run();
  fs::remove_all(to + "/reading", error);
  // Half a copy is no store, and a full disk gets its room back.
  if (!done.ok()) Empty(to);
  return done;
}

void RestoreManifest(const FolderLock& folder) {
  const std::string database = folder.path() + "/rocksdb";
  const std::optional<Recorded> recorded = Ledger(folder.path(), false, "").ReadRecorded();
  if (recorded && !CheckManifest(database, *recorded).ok()) (void)PutManifest(database, *recorded);
}

absl::Status SalvageInPlace(const FolderLock& folder) {
  const std::string database = folder.path() + "/rocksdb", to = folder.path() + "/salvaged";
  std::error_code error;
  fs::remove_all(to, error);  // left by an attempt that was broken off
  const absl::StatusOr<Salvaged> done = Salvage(folder, to, [](const std::string& line) {
    log::Log(log::LogLevel::kError, "store begins without what is lost", {{"lost", line}});
  });
  if (!done.ok()) fs::remove(to, error);
  if (!done.ok()) return done.status();
  // Up to here nothing in the folder has changed.
  const std::string lost = FreeName(database + ".lost");
  fs::rename(database, lost, error);
  // The database comes last: a folder without a database is refused, and never taken for new.
  for (const std::string name : {"/ledger", "/mark", "/epochs", "/rocksdb"}) {
    if (!error) fs::rename(to + name, folder.path() + name, error);
  }
  if (error)
    return absl::UnavailableError(
        absl::StrCat("rocksdb cannot be renamed to ", fs::path(lost).filename().string(), ": ", error.message()));
  fs::remove_all(to, error);
  log::Log(log::LogLevel::kWarning, "store begins with the sessions that could be read",
           {{"sessions", absl::StrCat(done->copied)}, {"before", folder.Shown(lost)}});
  return absl::OkStatus();
}

}  // namespace aaren::store
