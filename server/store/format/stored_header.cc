#include "server/store/format/stored_header.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/store/format/fields.h"

namespace aaren::store {
namespace {

constexpr uint8_t kVersion = 2;
// The save to which the client may go back, and the newest save.
constexpr size_t kSlots = 2;

uint64_t Checksum(absl::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void PutSlot(std::string& out, const StoredSlot& slot) {
  Put(out, slot.slot);
  PutPoint(out, slot.point);
  Put(out, slot.bytes);
  Put(out, slot.checksum);
}

void TakeSlot(Fields& fields, StoredSlot& slot) {
  fields.Take(slot.slot, "a slot's number");
  if (slot.slot >= kSlots) fields.Fail(absl::StrCat("has a slot of number ", slot.slot));
  fields.TakePoint(slot.point);
  fields.Take(slot.bytes, "the length of rows");
  fields.Take(slot.checksum, "the checksum of rows");
}

StoredHeader TakeHeader(Fields& fields) {
  StoredHeader header;
  fields.Take(header.epoch, "the epoch");
  fields.Take(header.incarnation, "the incarnation");
  fields.TakeOrigin(header.origin);
  fields.Take(header.delivered_seq, "delivered_seq");
  fields.Take(header.attempt.writer, "the writer");
  fields.Take(header.attempt.number, "the writer's number");
  int64_t last_active_ms = 0;
  fields.Take(last_active_ms, "the last activity");
  header.last_active = absl::FromUnixMillis(last_active_ms);
  int64_t leased_until_ms = 0;
  fields.TakeString(header.server, "the server");
  fields.Take(leased_until_ms, "the lease");
  header.leased_until = absl::FromUnixMillis(leased_until_ms);
  uint8_t slots = 0;
  fields.Take(slots, "the number of slots");
  if (slots > kSlots) fields.Fail(absl::StrCat("has ", slots, " slots, of at most ", kSlots));
  // A wrong number was noted as an error, and must not become memory either.
  header.slots.resize(std::min<size_t>(slots, kSlots));
  for (StoredSlot& slot : header.slots) TakeSlot(fields, slot);
  return header;
}

absl::Status Damaged(const std::string& key, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("session '", key, "': the checksum of its stored ", what,
                                          " does not match: they were cut or altered"));
}

// The bytes before the checksum.
absl::StatusOr<absl::string_view> CheckedBody(const std::string& key, absl::string_view bytes) {
  constexpr size_t kChecksumBytes = sizeof(uint64_t);
  if (bytes.size() < kChecksumBytes) return Damaged(key, "facts");
  const absl::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  std::string checksum;
  Put(checksum, Checksum(body));
  if (bytes.substr(body.size()) != checksum) return Damaged(key, "facts");
  return body;
}

}  // namespace

std::string EncodeHeader(const StoredHeader& header) {
  std::string out;
  Put(out, kVersion);
  Put(out, header.epoch);
  Put(out, header.incarnation);
  PutOrigin(out, header.origin);
  Put(out, header.delivered_seq);
  Put(out, header.attempt.writer);
  Put(out, header.attempt.number);
  Put(out, absl::ToUnixMillis(header.last_active));
  PutString(out, header.server);
  Put(out, absl::ToUnixMillis(header.leased_until));
  Put(out, static_cast<uint8_t>(header.slots.size()));
  for (const StoredSlot& slot : header.slots) PutSlot(out, slot);
  Put(out, Checksum(out));
  return out;
}

absl::StatusOr<StoredHeader> ParseHeader(const std::string& key, absl::string_view bytes) {
  const std::string what = absl::StrCat("stored session '", key, "'");
  const absl::StatusOr<absl::string_view> body = CheckedBody(key, bytes);
  if (!body.ok()) return body.status();
  Fields fields(what, *body);
  uint8_t version = 0;
  fields.Take(version, "the version");
  // The checksum was right, so the header is whole and of another version: no damage.
  if (fields.status().ok() && version != kVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, " has format version ", version, ", this server knows ", kVersion));
  }
  StoredHeader header = TakeHeader(fields);
  // The bytes do not repeat the key.
  header.key = key;
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return header;
}

SessionRecord WithoutRows(const StoredHeader& header) {
  SessionRecord record;
  static_cast<SessionHeader&>(record) = header;
  for (const StoredSlot& slot : header.slots) {
    record.saves.push_back({slot.point, {}});
    record.stored_bytes += slot.bytes;
  }
  return record;
}

std::string EncodeSlot(const StoredSlot& slot) {
  std::string out;
  PutSlot(out, slot);
  Put(out, Checksum(out));
  return out;
}

absl::StatusOr<StoredSlot> ParseSlot(const std::string& key, absl::string_view bytes) {
  const absl::StatusOr<absl::string_view> body = CheckedBody(key, bytes);
  if (!body.ok()) return body.status();
  Fields fields(absl::StrCat("stored session '", key, "'"), *body);
  StoredSlot slot;
  TakeSlot(fields, slot);
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return slot;
}

StoredSlot SlotOf(uint8_t slot, const SavedRows& save) {
  return {slot, save.point, save.rows.size(), Checksum(save.rows)};
}

absl::Status CheckSlot(const std::string& key, const StoredSlot& slot, absl::string_view rows) {
  return rows.size() == slot.bytes && Checksum(rows) == slot.checksum ? absl::OkStatus() : Damaged(key, "rows");
}

StoredHeader HeaderAfter(const StoredHeader* held, SessionHeader header, std::optional<uint64_t> keep_seq,
                         const std::vector<SavedRows>& saves) {
  StoredHeader next;
  static_cast<SessionHeader&>(next) = std::move(header);
  const auto used = [&next](uint8_t slot) {
    return std::any_of(next.slots.begin(), next.slots.end(), [slot](const StoredSlot& at) { return at.slot == slot; });
  };
  const StoredSlot* kept = nullptr;
  for (size_t i = 0; held != nullptr && keep_seq && i < held->slots.size(); ++i) {
    const StoredSlot& slot = held->slots[i];
    if (slot.point.seq <= *keep_seq && (kept == nullptr || kept->point.seq < slot.point.seq)) kept = &slot;
  }
  if (kept != nullptr) next.slots.push_back(*kept);
  // The save that stays keeps its slot: no write moves stored rows.
  for (const SavedRows& save : saves) next.slots.push_back(SlotOf(used(0) ? 1 : 0, save));
  return next;
}

}  // namespace aaren::store
