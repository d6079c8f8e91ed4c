#ifndef AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SILENT_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SILENT_SESSIONS_H_

// SilentSessions counts the silent sessions of a shard: a stream has the session open, the tokens have times with a
// step, and for ten steps, and ten seconds at least, no token came. A logger without power looks silent, while the
// client is still connected.
//
// Sessions of events have no step, and are not counted. The count costs nothing per token. A count walks over the
// shard's sessions in short stretches, and the next count begins a pause later. A demoted session has no step in
// memory, and is not counted.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/table/compact_key.h"

namespace aaren::shard {

class SilentSessions {
 public:
  using Table = absl::flat_hash_set<std::unique_ptr<session::Session>, session::ByKey<session::Session>,
                                    session::ByKey<session::Session>>;

  static constexpr size_t kStretch = 512;      // sessions in a Look
  static constexpr int64_t kPauseMs = 15'000;  // between two counts
  static constexpr int64_t kSteps = 10;        // without a token
  static constexpr int64_t kLeastMs = 10'000;  // the shortest silence

  // Goes on counting if a count is due. Returns the result of the last complete count.
  size_t Look(const Table& sessions, int64_t now_ms);

 private:
  std::string next_;  // key of the next session; empty: no count is under way
  size_t counting_ = 0, counted_ = 0;
  int64_t due_ms_ = 0;
};

// True if the session is silent at `now_ms`.
bool IsSilent(const session::Session& session, int64_t now_ms);

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SILENT_SESSIONS_H_
