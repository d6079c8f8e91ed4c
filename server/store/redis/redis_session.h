#ifndef AAREN_SERVER_STORE_REDIS_REDIS_SESSION_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_SESSION_H_

// A session as Redis has it: a hash with the header (stored_header.h, without slots) in the field h, and of each save
// the slot in s0 or s1; the rows are under a key of their own. Which of the two, the scripts choose. Threading: pure
// functions.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/store/redis/redis_connection.h"
#include "server/store/store.h"
#include "server/store/stored_header.h"

namespace aaren {

// How the held header must begin: for a write that expects this epoch, and for a save of this writer.
std::string ExpectedEpoch(uint64_t epoch);  // empty for 0: nothing is held
std::string ExpectedWriter(const SessionHeader& writer);

std::string EncodeRedisHeader(const SessionHeader& header);
std::string EncodeRedisSlot(const SavedRows& save);

// As a slot has it behind its first byte; empty: none stays.
std::string KeepOf(std::optional<uint64_t> keep_seq);

// `fields` are h, s0, s1. NotFound if there are none of them; DataLoss if they are not what was written.
absl::StatusOr<StoredHeader> ParseRedisSession(const std::string& key, absl::Span<redisReply* const> fields);

// `rows` are those of both slots. DataLoss if they are not what the header says.
absl::StatusOr<SessionRecord> WithRows(const StoredHeader& header, absl::Span<redisReply* const> rows);

}  // namespace aaren

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_SESSION_H_
