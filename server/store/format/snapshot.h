#ifndef AAREN_SERVER_STORE_FORMAT_SNAPSHOT_H_
#define AAREN_SERVER_STORE_FORMAT_SNAPSHOT_H_

// A snapshot is a session's state as bytes that may leave the server: what Export gives out and Import takes back, on
// any server that has the same model package.
//
// Layout, integers little-endian, strings as uint16 length and bytes:
//   magic "AARENSES" · uint32 format version · string model · string package digest · string tier ·
//   uint32 numerics version · uint32 channels · uint64 seq · int64 last_time_ns · int64 step_ns ·
//   uint64 bytes of rows · rows [channels x row_bytes] · the first 16 bytes of the SHA-256 of all before
//
// Parsing trusts nothing: the checksum, every length, and that nothing is left over. Whether the rows are rows is for
// their engine to say (Engine::CheckRow).

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

// DataLoss, saying what was checked, for bytes that EncodeSnapshot did not write; FailedPrecondition for a whole
// snapshot of a format version that this server does not know.
absl::StatusOr<SessionSnapshot> ParseSnapshot(absl::string_view bytes);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_FORMAT_SNAPSHOT_H_
