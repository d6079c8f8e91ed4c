#ifndef AAREN_SERVER_STORE_REDIS_REDIS_SESSION_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_SESSION_H_

// A session in Redis: a hash with the header (stored_header.h, without slots) in the field h. The slot of each save is
// in s0 or s1; the scripts choose. A slot begins with the name of the field with the rows: the writer's epoch and the
// seq, since an epoch saves a seq with the same bytes only. Threading: pure functions.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/store/format/stored_header.h"
#include "server/store/redis/redis_connection.h"
#include "server/store/store.h"

namespace aaren::store {

// The expected beginning of the stored header: for a write that expects this epoch, and for a save with this header.
std::string ExpectedEpoch(uint64_t epoch);  // empty for 0: nothing is held
std::string ExpectedWriter(absl::string_view encoded_header);

std::string EncodeRedisHeader(const SessionHeader& header);
std::string EncodeRedisSlot(uint64_t epoch, const SavedRows& save);
std::string RowsField(uint64_t epoch, uint64_t seq);

// A seq in a slot's bytes; empty: no save stays.
std::string KeepOf(std::optional<uint64_t> keep_seq);

// `fields` are h, s0, s1. NotFound without any of the three; DataLoss for fields that were not written so.
absl::StatusOr<StoredHeader> ParseRedisSession(const std::string& key, absl::Span<redisReply* const> fields);

// With the rows, from all fields: name, value, ... Errors as ParseRedisSession, and DataLoss if the rows do not match
// the slots.
absl::StatusOr<SessionRecord> ParseRedisRecord(const std::string& key, absl::Span<redisReply* const> fields);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_SESSION_H_
