#include "server/store/rocksdb/ledger.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "server/operate/log/log.h"
#include "server/store/format/fields.h"
#include "server/store/rocksdb/synced_file.h"

namespace aaren::store {
namespace {

constexpr uint8_t kVersion = 1;

std::string Sealed(std::string bytes) {
  Put(bytes, uint64_t{XXH3_64bits(bytes.data(), bytes.size())});
  return bytes;
}

// The argument of Sealed, without the version.
absl::StatusOr<std::string> ReadSealed(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadWhole(path);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() < 1 + sizeof(uint64_t)) return absl::DataLossError("too short");
  std::string content = bytes->substr(0, bytes->size() - sizeof(uint64_t));
  if (Sealed(content) != *bytes) return absl::DataLossError("wrong checksum");
  if (content[0] != kVersion) return absl::DataLossError("of a later version");
  return content.substr(1);
}

std::string MarkOf(uint64_t written, bool synced, const std::string& boot) {
  std::string bytes;
  Put(bytes, kVersion);
  Put(bytes, written);
  Put(bytes, static_cast<uint8_t>(synced));
  PutString(bytes, boot);
  return Sealed(std::move(bytes));
}

class LedgerListener : public rocksdb::EventListener {
 public:
  explicit LedgerListener(Ledger& ledger) : ledger_(ledger) {}
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo&) override { ledger_.Record(*db); }
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo&) override { ledger_.Record(*db); }

 private:
  Ledger& ledger_;
};

}  // namespace

std::string ThisBoot() {
  const absl::StatusOr<std::string> boot = ReadWhole("/proc/sys/kernel/random/boot_id");
  return boot.ok() ? std::string(absl::StripAsciiWhitespace(*boot)) : "";
}

Ledger::Ledger(std::string folder, bool synced, std::string boot)
    : folder_(std::move(folder)), synced_(synced), boot_(std::move(boot)) {}

Ledger::~Ledger() {
  if (mark_ >= 0) close(mark_);
}

bool Ledger::Exists() const {
  return access((folder_ + "/ledger").c_str(), F_OK) == 0 || access((folder_ + "/mark").c_str(), F_OK) == 0;
}

void Ledger::Remove() const {
  (void)unlink((folder_ + "/ledger").c_str());
  (void)unlink((folder_ + "/mark").c_str());
}

// Damage to the ledger alone costs no session, and refuses no start. An earlier server's folder has neither file.
void Ledger::NoteUnread(const char* name, const absl::Status& why) const {
  if (why.ok() || !Exists()) return;
  log::Log(log::LogLevel::kError, "store cannot be compared with what was written",
           {{"file", name}, {"why", why.ToString()}});
}

std::optional<Recorded> Ledger::ReadRecorded() const {
  const absl::StatusOr<std::string> content = ReadSealed(folder_ + "/ledger");
  NoteUnread("ledger", content.status());
  if (!content.ok()) return std::nullopt;
  Recorded recorded;
  Fields fields("ledger", *content);
  uint64_t size = 0;
  fields.TakeString(recorded.name, "the MANIFEST's name");
  fields.Take(size, "the MANIFEST's size");
  recorded.bytes = std::string(fields.TakeBytes(size, "the MANIFEST"));
  return fields.Finish().ok() ? std::optional(std::move(recorded)) : std::nullopt;
}

std::optional<Answered> Ledger::ReadAnswered() const {
  const absl::StatusOr<std::string> content = ReadSealed(folder_ + "/mark");
  NoteUnread("mark", content.status());
  if (!content.ok()) return std::nullopt;
  Answered answered;
  Fields fields("mark", *content);
  uint8_t synced = 0;
  fields.Take(answered.written, "the last write");
  fields.Take(synced, "whether it is on the disk");
  fields.TakeString(answered.boot, "the boot");
  answered.synced = synced != 0;
  return fields.Finish().ok() ? std::optional(std::move(answered)) : std::nullopt;
}

void Ledger::Record(rocksdb::DB& db) {
  absl::MutexLock lock(&mutex_);
  const absl::Status status = RecordNow(db);
  // NotFound: RocksDB has begun another MANIFEST meanwhile; the next flush copies the new MANIFEST.
  if (status.ok() || absl::IsNotFound(status)) return;
  log::Log(log::LogLevel::kWarning, "store's ledger not written", {{"why", status.ToString()}});
}

absl::Status Ledger::RecordNow(rocksdb::DB& db) {
  std::vector<std::string> files;
  uint64_t size = 0;
  // GetLiveFiles would flush by default, and the flush would call Record again.
  const rocksdb::Status told = db.GetLiveFiles(files, &size, /*flush_memtable=*/false);
  const auto is_manifest = [](const std::string& name) { return absl::StartsWith(name, "/MANIFEST-"); };
  const auto name = std::find_if(files.begin(), files.end(), is_manifest);
  if (!told.ok() || name == files.end()) return absl::UnavailableError(told.ToString());
  absl::StatusOr<std::string> manifest = ReadWhole(absl::StrCat(folder_, "/rocksdb", *name));
  if (!manifest.ok()) return manifest.status();
  if (manifest->size() < size) return absl::DataLossError(absl::StrCat(*name, " is shorter than what was written"));
  std::string bytes;
  Put(bytes, kVersion);
  PutString(bytes, name->substr(1));
  Put(bytes, size);
  bytes.append(*manifest, 0, size);  // RocksDB may be writing behind `size`
  return ReplaceFile(folder_ + "/ledger", Sealed(std::move(bytes)));
}

absl::Status Ledger::SetMark(uint64_t written) {
  const std::string path = folder_ + "/mark";
  if (absl::Status status = ReplaceFile(path, MarkOf(written, synced_, boot_)); !status.ok()) return status;
  if (mark_ >= 0) close(mark_);
  // The file stays open: each group of writes overwrites the mark in place, without a rename or a sync.
  mark_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return mark_ >= 0 ? absl::OkStatus() : absl::UnavailableError(absl::StrCat(path, " cannot be opened"));
}

void Ledger::Mark(uint64_t written) {
  const std::string bytes = MarkOf(written, synced_, boot_);
  // A mark that stays behind hides a loss at worst: no reason to fail the write.
  if (mark_ >= 0) (void)!pwrite(mark_, bytes.data(), bytes.size(), 0);
}

std::shared_ptr<rocksdb::EventListener> Ledger::Listener() { return std::make_shared<LedgerListener>(*this); }

}  // namespace aaren::store
