#include "server/store/rocksdb/write_group.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/store/held.h"
#include "server/store/rocksdb/sparing.h"

namespace aaren::store {
namespace {

rocksdb::Slice SliceOf(const std::string& text) { return {text.data(), text.size()}; }

absl::Status Named(const std::string& key, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("session '", key, "': ", status.message()));
}

}  // namespace

absl::Status FromRead(const rocksdb::Status& status, const FolderLock& folder) {
  const std::string text = folder.Shown(status.ToString());
  return status.IsCorruption() || status.IsPathNotFound() ? absl::DataLossError(text) : absl::UnavailableError(text);
}

std::string HeaderKey(const std::string& key) { return absl::StrCat("h", key); }

std::string RowsKey(const std::string& key, uint8_t slot) {
  std::string name = absl::StrCat("r", key);
  // Ids are printable: no key of a longer id begins with these bytes.
  name += '\0';
  name += static_cast<char>('0' + slot);
  return name;
}

absl::StatusOr<std::optional<StoredHeader>> WriteGroup::Header(const std::string& key) {
  if (db_ == nullptr) return failed_;
  const auto waiting = headers_.find(key);
  if (waiting != headers_.end()) return waiting->second;
  rocksdb::PinnableSlice bytes;
  const rocksdb::Status status = db_->Get({}, db_->DefaultColumnFamily(), SliceOf(HeaderKey(key)), &bytes);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) return Named(key, FromRead(status, folder_));
  absl::StatusOr<StoredHeader> header = ParseHeader(key, {bytes.data(), bytes.size()});
  if (!header.ok()) return header.status();
  return *std::move(header);
}

absl::StatusOr<std::optional<StoredHeader>> WriteGroup::Held(const std::string& key) {
  // A header that waits in the group is newer than the cache's.
  const StoredHeader* known = db_ == nullptr || headers_.contains(key) ? nullptr : held_.Find(key);
  if (known == nullptr) return Header(key);
  return *known;
}

absl::StatusOr<std::string> WriteGroup::Rows(const std::string& key, const StoredSlot& slot) {
  rocksdb::PinnableSlice bytes;
  const rocksdb::Status status = db_->Get({}, db_->DefaultColumnFamily(), SliceOf(RowsKey(key, slot.slot)), &bytes);
  if (status.IsNotFound()) return absl::DataLossError(absl::StrCat("session '", key, "': its stored rows are gone"));
  if (!status.ok()) return Named(key, FromRead(status, folder_));
  if (absl::Status checked = CheckSlot(key, slot, {bytes.data(), bytes.size()}); !checked.ok()) return checked;
  return std::string(bytes.data(), bytes.size());
}

absl::StatusOr<SessionRecord> WriteGroup::Session(const std::string& key) {
  absl::StatusOr<std::optional<StoredHeader>> header = Header(key);
  if (!header.ok()) return header.status();
  if (!header->has_value()) return NoSuchSession(key);
  SessionRecord record;
  static_cast<SessionHeader&>(record) = **header;
  for (const StoredSlot& slot : (*header)->slots) {
    absl::StatusOr<std::string> rows = Rows(key, slot);
    if (rows.ok()) {
      record.saves.push_back({slot.point, *std::move(rows)});
    } else if (!absl::IsDataLoss(rows.status())) {
      return rows.status();
    } else {
      // The sound save may still serve. The caller decides, by damaged_seq.
      record.damage = rows.status();
      record.damaged_seq = slot.point.seq;
    }
  }
  if (record.saves.empty() && !record.damage.ok()) return record.damage;
  return record;
}

void WriteGroup::Put(const StoredHeader* held, const StoredHeader& next, const std::vector<SavedRows>& saves) {
  headers_.insert_or_assign(next.key, next);
  const size_t kept = next.slots.size() - saves.size();
  for (size_t i = 0; held != nullptr && i < held->slots.size(); ++i) {
    const uint8_t slot = held->slots[i].slot;
    const bool stays = std::any_of(next.slots.begin(), next.slots.end(), [slot](auto& at) { return at.slot == slot; });
    // A slot that is written again needs no deletion.
    if (!stays) batch_.Delete(SliceOf(RowsKey(next.key, slot)));
  }
  for (size_t i = 0; i < saves.size(); ++i) {
    batch_.Put(SliceOf(RowsKey(next.key, next.slots[kept + i].slot)), SliceOf(saves[i].rows));
  }
  batch_.Put(SliceOf(HeaderKey(next.key)), SliceOf(EncodeHeader(next)));
}

void WriteGroup::Remove(const StoredHeader& held) {
  headers_.insert_or_assign(held.key, std::nullopt);
  for (const StoredSlot& slot : held.slots) batch_.Delete(SliceOf(RowsKey(held.key, slot.slot)));
  batch_.Delete(SliceOf(HeaderKey(held.key)));
}

void WriteGroup::RemoveDamaged(const std::string& key) {
  headers_.insert_or_assign(key, std::nullopt);
  for (const uint8_t slot : {0, 1}) batch_.Delete(SliceOf(RowsKey(key, slot)));
  batch_.Delete(SliceOf(HeaderKey(key)));
}

// After a failed write the end of the log is unknown: nothing is written until the database was opened again.
absl::Status WriteGroup::Write(bool sync) {
  if (failed_.ok() && batch_.Count() > 0) {
    rocksdb::WriteOptions options;
    options.sync = sync;
    const rocksdb::Status status = db_->Write(options, &batch_);
    damaged_ |= IsDamage(status);
    // The mark comes before the answers: at the next start every answered write is looked for.
    if (status.ok()) ledger_.Mark(db_->GetLatestSequenceNumber());
    // DataLoss would blame a session.
    if (!status.ok()) failed_ = absl::UnavailableError(folder_.Shown(status.ToString()));
  }
  const bool written = batch_.Count() == 0 || failed_.ok();
  if (written) NoteWritten();
  // After a failed write nobody knows the database's headers.
  if (!failed_.ok()) held_.Clear();
  batch_.Clear();
  headers_.clear();
  return written ? absl::OkStatus() : failed_;
}

void WriteGroup::NoteWritten() {
  for (const auto& [key, header] : headers_) header ? held_.Put(*header) : held_.Remove(key);
}

void WriteGroup::Commit() {
  const absl::Status status = Write(ledger_.synced());
  for (auto& answer : std::exchange(answers_, {})) answer(status);
}

absl::Status WriteGroup::CommitSynced() {
  const absl::Status status = Write(/*sync=*/true);
  for (auto& answer : std::exchange(answers_, {})) answer(status);
  return status;
}

}  // namespace aaren::store
