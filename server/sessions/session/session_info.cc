#include "server/sessions/session/session_info.h"

#include "server/sessions/session/record.h"
#include "server/sessions/session/session_state.h"

namespace aaren::session {

void SessionInfo::SetRows(const models::LoadedModel& model, uint32_t rows) {
  origin = OriginOf(model, rows);
  channels = rows * model.conversion->values_per_series();
  state_bytes = rows * model.engine->row_bytes();
}

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
  info.channels = record.origin.channels;
  const models::ModelRef model = models.FindDigest(record.origin.package_digest, record.origin.tier);
  if (model != nullptr) info.SetRows(*model, record.origin.channels);
  info.origin = record.origin;  // the numerics may be earlier than the model's
  info.last_active = clock.WallOf(record.last_active);
  return info;
}

}  // namespace aaren::session
