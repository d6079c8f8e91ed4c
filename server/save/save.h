#ifndef AAREN_SERVER_SAVE_SAVE_H_
#define AAREN_SERVER_SAVE_SAVE_H_

// A save is a copy of a session's rows for the store. A shard's Saver asks for it, the registrar's thread writes it
// (WriteSave), and its result goes back to the shard. README.md tells its life. Threading: plain values.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/session/session_state.h"
#include "server/store/store.h"

namespace aaren {

// Rows to be saved.
struct SaveRequest {
  SessionState state;
  std::string key;
  bool only = false;  // older saves are of no use any more; else the one at keep_seq stays, 0 being the empty row
  uint64_t keep_seq = 0;
  absl::Time last_active;
};

struct SaveResult {
  std::string key;
  uint64_t incarnation = 0;
  uint64_t seq = 0;
  bool only = false;
  absl::Status status;
  uint64_t current_epoch = 0;  // with Aborted
};

// Writes the save, beside the one at keep_seq if there is to be one. Blocks as long as the store does.
SaveResult WriteSave(StateStore& store, SaveRequest request);

}  // namespace aaren

#endif  // AAREN_SERVER_SAVE_SAVE_H_
