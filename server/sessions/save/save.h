#ifndef AAREN_SERVER_SESSIONS_SAVE_SAVE_H_
#define AAREN_SERVER_SESSIONS_SAVE_SAVE_H_

// A save is a copy of a session's rows for the store. A shard takes the copy, the registrar gives the copy to the
// store, and its result goes back to the shard. README.md tells its life. Threading: plain values.

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "server/store/store.h"

namespace aaren::save {

// Where a server that shares its store can be reached, and for how long a save says that it has a session.
struct Lease {
  std::string server;  // HOST:PORT; empty: not told
  absl::Duration time = absl::ZeroDuration();
};

// The result of a SaveWrite.
struct SaveResult {
  std::string key;
  uint64_t incarnation = 0;
  uint64_t seq = 0;
  bool only = false;  // no older save was to stay
  store::WriteResult written;
};

inline SaveResult ResultOf(const store::SaveWrite& write) {
  return {write.header.key, write.header.incarnation, write.save.point.seq, !write.keep_seq.has_value(), {}};
}

}  // namespace aaren::save

#endif  // AAREN_SERVER_SESSIONS_SAVE_SAVE_H_
