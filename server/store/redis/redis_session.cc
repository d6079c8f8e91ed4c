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

absl::StatusOr<SessionRecord> ParseRedisSession(const std::string& key, absl::Span<redisReply* const> fields) {
  if (std::none_of(fields.begin(), fields.end(), IsThere)) return NoSuchSession(key);
  if (!IsThere(fields[0])) return Gone(key, "facts");
  const absl::StatusOr<StoredHeader> header = ParseHeader(key, TextOf(*fields[0]));
  if (!header.ok()) return header.status();
  SessionRecord record;
  static_cast<SessionHeader&>(record) = *header;
  for (size_t i = 0; i < kSlots; ++i) {
    const redisReply* slot = fields[1 + i];
    const redisReply* rows = fields.size() > 1 + kSlots ? fields[1 + kSlots + i] : nullptr;
    if (!IsThere(slot)) continue;
    const absl::StatusOr<StoredSlot> facts = ParseSlot(key, TextOf(*slot));
    if (!facts.ok()) return facts.status();
    SavedRows& save = record.saves.emplace_back();
    save.point = facts->point;
    if (rows == nullptr) continue;
    if (!IsThere(rows)) return Gone(key, "rows");
    if (absl::Status checked = CheckSlot(key, *facts, TextOf(*rows)); !checked.ok()) return checked;
    save.rows = std::string(TextOf(*rows));
  }
  std::sort(record.saves.begin(), record.saves.end(),
            [](const SavedRows& a, const SavedRows& b) { return a.point.seq < b.point.seq; });
  return record;
}

}  // namespace aaren
