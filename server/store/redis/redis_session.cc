#include "server/store/redis/redis_session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/store/fields.h"
#include "server/store/held.h"
#include "server/store/stored_header.h"

namespace aaren {
namespace {

constexpr size_t kSlots = 2;
constexpr size_t kEpochEnd = 1 + 8, kIncarnationEnd = kEpochEnd + 8;  // in a header, behind its version

absl::Status Gone(const std::string& key, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("session '", key, "': its stored ", what, " are gone"));
}

bool IsThere(const redisReply* field) { return field->type == REDIS_REPLY_STRING; }

}  // namespace

std::string ExpectedEpoch(uint64_t epoch) {
  SessionHeader header;
  header.epoch = epoch;
  return epoch == 0 ? "" : EncodeRedisHeader(header).substr(0, kEpochEnd);
}

std::string ExpectedWriter(const SessionHeader& writer) { return EncodeRedisHeader(writer).substr(0, kIncarnationEnd); }

std::string EncodeRedisHeader(const SessionHeader& header) { return EncodeHeader({header, {}}); }

std::string EncodeRedisSlot(const SavedRows& save) { return EncodeSlot(SlotOf(0, save)); }

std::string KeepOf(std::optional<uint64_t> keep_seq) {
  std::string bytes;
  if (keep_seq) Put(bytes, *keep_seq);
  return bytes;
}

absl::StatusOr<StoredHeader> ParseRedisSession(const std::string& key, absl::Span<redisReply* const> fields) {
  if (std::none_of(fields.begin(), fields.end(), IsThere)) return NoSuchSession(key);
  if (!IsThere(fields[0])) return Gone(key, "facts");
  absl::StatusOr<StoredHeader> header = ParseHeader(key, TextOf(*fields[0]));
  for (uint8_t i = 0; header.ok() && i < kSlots; ++i) {
    if (!IsThere(fields[1 + i])) continue;
    absl::StatusOr<StoredSlot> slot = ParseSlot(key, TextOf(*fields[1 + i]));
    if (!slot.ok()) return slot.status();
    slot->slot = i;
    header->slots.push_back(*slot);
  }
  if (header.ok() && header->slots.size() == kSlots && header->slots[0].point.seq > header->slots[1].point.seq) {
    std::swap(header->slots[0], header->slots[1]);
  }
  return header;
}

absl::StatusOr<SessionRecord> WithRows(const StoredHeader& header, absl::Span<redisReply* const> rows) {
  SessionRecord record = WithoutRows(header);
  for (size_t i = 0; i < header.slots.size(); ++i) {
    const redisReply* bytes = rows[header.slots[i].slot];
    if (!IsThere(bytes)) return Gone(header.key, "rows");
    if (absl::Status checked = CheckSlot(header.key, header.slots[i], TextOf(*bytes)); !checked.ok()) return checked;
    record.saves[i].rows = std::string(TextOf(*bytes));
  }
  return record;
}

}  // namespace aaren
