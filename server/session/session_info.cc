#include "server/session/session_info.h"

#include "server/session/session_state.h"

namespace aaren {

SessionInfo InfoOf(const SessionRecord& record, const ModelTable& models, const Clock& clock) {
  SessionInfo info;
  info.session_id = std::string(SessionId(record.key));
  info.epoch = record.epoch;
  info.incarnation = record.incarnation;
  info.delivered_seq = record.delivered_seq;
  for (const SavedRows& save : record.saves) {
    info.next_seq = save.point.seq;
    if (save.point.seq <= record.delivered_seq) info.durable_seq = save.point.seq;
  }
  info.origin = record.origin;
  const LoadedModel* model = models.FindDigest(record.origin.package_digest);
  info.state_bytes = model != nullptr ? model->engine->row_bytes() * record.origin.channels : 0;
  info.last_active = clock.WallAt(record.last_active);
  return info;
}

}  // namespace aaren
