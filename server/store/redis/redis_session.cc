#include "server/store/redis/redis_session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/store/format/fields.h"
#include "server/store/format/stored_header.h"
#include "server/store/held.h"

namespace aaren::store {
namespace {

constexpr size_t kSlotCount = 2;
constexpr size_t kNameBytes = 2 * sizeof(uint64_t);                   // the name of rows: epoch, seq
constexpr size_t kEpochEnd = 1 + 8, kIncarnationEnd = kEpochEnd + 8;  // in a header, behind its version

absl::Status Gone(const std::string& key, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("session '", key, "': its stored ", what, " are gone"));
}

bool IsThere(const redisReply* field) { return field != nullptr && field->type == REDIS_REPLY_STRING; }

// Parses a slot, behind the name of its rows.
absl::StatusOr<StoredSlot> ParseRedisSlot(const std::string& key, absl::string_view bytes) {
  return ParseSlot(key, bytes.substr(std::min(bytes.size(), kNameBytes)));
}

// The value of a field, among name, value, ...; null without the field.
redisReply* ValueOf(absl::string_view name, absl::Span<redisReply* const> fields) {
  for (size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (TextOf(*fields[i]) == name) return fields[i + 1];
  }
  return nullptr;
}

}  // namespace

std::string ExpectedEpoch(uint64_t epoch) {
  SessionHeader header;
  header.epoch = epoch;
  return epoch == 0 ? "" : EncodeRedisHeader(header).substr(0, kEpochEnd);
}

std::string ExpectedWriter(absl::string_view encoded_header) {
  return std::string(encoded_header.substr(0, kIncarnationEnd));
}

std::string EncodeRedisHeader(const SessionHeader& header) { return EncodeHeader({header, {}}); }

std::string EncodeRedisSlot(uint64_t epoch, const SavedRows& save) {
  // The script chooses the slot. ParseRedisSession takes the slot's number from the field, not from these bytes.
  return RowsField(epoch, save.point.seq) + EncodeSlot(SlotOf(0, save));
}

std::string RowsField(uint64_t epoch, uint64_t seq) {
  std::string name;
  Put(name, epoch);
  Put(name, seq);
  return name;
}

std::string KeepOf(std::optional<uint64_t> keep_seq) {
  std::string bytes;
  if (keep_seq) Put(bytes, *keep_seq);
  return bytes;
}

absl::StatusOr<StoredHeader> ParseRedisSession(const std::string& key, absl::Span<redisReply* const> fields) {
  // A header alone is a session without saves; nothing at all is no session.
  if (std::none_of(fields.begin(), fields.end(), IsThere)) return NoSuchSession(key);
  if (!IsThere(fields[0])) return Gone(key, "facts");
  absl::StatusOr<StoredHeader> header = ParseHeader(key, TextOf(*fields[0]));
  for (uint8_t i = 0; header.ok() && i < kSlotCount; ++i) {
    if (!IsThere(fields[1 + i])) continue;
    absl::StatusOr<StoredSlot> slot = ParseRedisSlot(key, TextOf(*fields[1 + i]));
    if (!slot.ok()) return slot.status();
    slot->slot = i;
    header->slots.push_back(*slot);
  }
  // A script takes any free slot, and StoredHeader lists slots in order of seq.
  if (header.ok() && header->slots.size() == kSlotCount && header->slots[0].point.seq > header->slots[1].point.seq) {
    std::swap(header->slots[0], header->slots[1]);
  }
  return header;
}

absl::StatusOr<SessionRecord> ParseRedisRecord(const std::string& key, absl::Span<redisReply* const> fields) {
  const std::array<redisReply*, 1 + kSlotCount> facts = {ValueOf("h", fields), ValueOf("s0", fields),
                                                         ValueOf("s1", fields)};
  const absl::StatusOr<StoredHeader> header = ParseRedisSession(key, facts);
  if (!header.ok()) return header.status();
  SessionRecord record = WithoutRows(*header);
  for (size_t i = 0; i < header->slots.size(); ++i) {
    const StoredSlot& slot = header->slots[i];
    const redisReply* rows = ValueOf(TextOf(*facts[1 + slot.slot]).substr(0, kNameBytes), fields);
    if (!IsThere(rows)) return Gone(key, "rows");
    if (absl::Status checked = CheckSlot(key, slot, TextOf(*rows)); !checked.ok()) return checked;
    record.saves[i].rows = std::string(TextOf(*rows));
  }
  return record;
}

}  // namespace aaren::store
