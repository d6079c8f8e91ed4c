// The registrar's side of a save.

#include <utility>

#include "server/save/save.h"
#include "server/session/record.h"

namespace aaren {

SaveResult WriteSave(StateStore& store, SaveRequest request) {
  SaveResult result;
  result.key = request.key;
  result.incarnation = request.state.incarnation;
  result.seq = request.state.point.seq;
  result.only = request.only;
  SessionRecord record = RecordOf(request.key, request.state);
  record.last_active = request.last_active;
  if (!request.only && request.keep_seq > 0) {
    absl::StatusOr<SessionRecord> held = store.Load(request.key);
    if (held.ok()) {
      for (SavedRows& save : held->saves) {
        if (save.point.seq == request.keep_seq) record.saves.push_back(std::move(save));
      }
    } else if (!absl::IsNotFound(held.status())) {
      result.status = held.status();
      return result;
    }
  }
  record.saves.push_back({request.state.point, std::move(request.state.rows)});
  result.status = store.Save(std::move(record));
  if (!absl::IsAborted(result.status)) return result;
  const absl::StatusOr<SessionRecord> held = store.Load(request.key);
  if (held.ok()) result.current_epoch = held->epoch;
  return result;
}

}  // namespace aaren
