#ifndef AAREN_SERVER_STORE_FORMAT_SNAPSHOT_H_
#define AAREN_SERVER_STORE_FORMAT_SNAPSHOT_H_

// A snapshot is a session's state as bytes that may leave the server: Export gives a snapshot out, and Import takes it
// on any server with the same model package.
//
// Layout, integers little-endian, strings as uint16 length and bytes:
//   magic "AARENSES" · uint32 format version · string model · string package digest · string tier ·
//   uint32 numerics version · uint32 channels · uint64 seq · int64 last_time_ns · int64 step_ns ·
//   uint64 bytes of rows · rows [channels x row_bytes] · the first 16 bytes of the SHA-256 of all before
//
// Parsing trusts nothing: the checksum, every length, and the end are checked. The engine checks the rows themselves
// (Engine::CheckRow).

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/session_point.h"

namespace aaren::store {

struct SessionSnapshot {
  SessionOrigin origin;
  SessionPoint point;
  std::string rows;
};

std::string EncodeSnapshot(const SessionSnapshot& snapshot);

// DataLoss, naming the failed check, for bytes not written by EncodeSnapshot; FailedPrecondition for a whole snapshot
// of a format version unknown to this server.
absl::StatusOr<SessionSnapshot> ParseSnapshot(absl::string_view bytes);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_FORMAT_SNAPSHOT_H_
