#include "server/sessions/session/session_info.h"

#include "server/sessions/session/session_state.h"

namespace aaren::session {

SessionInfo InfoOf(const store::SessionRecord& record, const models::ModelTable& models, const Clock& clock) {
  SessionInfo info;
  info.session_id = std::string(SessionId(record.key));
  info.epoch = record.epoch;
  info.incarnation = record.incarnation;
  info.delivered_seq = record.delivered_seq;
  for (const store::SavedRows& save : record.saves) {
    info.next_seq = save.point.seq;
    if (save.point.seq <= record.delivered_seq) info.durable_seq = save.point.seq;
  }
  info.origin = record.origin;
  const models::ModelRef model = models.FindDigest(record.origin.package_digest, record.origin.tier);
  info.state_bytes = model != nullptr ? model->engine->row_bytes() * record.origin.channels : 0;
  info.last_active = clock.WallOf(record.last_active);
  return info;
}

}  // namespace aaren::session
