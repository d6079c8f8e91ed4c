#include "server/sessions/session/session_state.h"

#include "server/sessions/session/session.h"

namespace aaren::session {

SessionState StateOf(const Session& session) {
  SessionState state;
  state.model = session.model->shared_from_this();
  state.channels = session.channels;
  state.epoch = session.epoch;
  state.incarnation = session.incarnation;
  state.point = session.point;
  state.delivered_seq = session.delivered_seq;
  state.durable_seq = session.durable_seq;
  if (session.pending_seq != Session::kNoSave) state.pending_seq = session.pending_seq;
  state.tracks_delivery = session.tracks_delivery;
  state.attempt = session.attempt;
  state.durability = session.durability;
  return state;
}

}  // namespace aaren::session
