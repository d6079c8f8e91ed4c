#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ARRIVAL_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ARRIVAL_H_

// An Arrival is a session on its way, with the stream's items since. An Opening comes by an Open, a Promotion by a
// token for a demoted session. The stream's handle stands for the Arrival until the session is here. Threading: belongs
// to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "server/operate/trace/tracer.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/registrar/owner.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/session_state.h"
#include "server/sessions/session/table/row_pool.h"
#include "server/sessions/shard/tiers/demoted.h"
#include "server/sessions/task/token_numbers.h"

namespace aaren::shard {

struct DeferredTokens {
  session::TokensView view;  // points into `numbers`
  task::OwnedNumbers numbers;
  uint64_t tokens = 0;
  trace::Held trace;
  size_t bytes() const { return sizeof(*this) + numbers.bytes(); }
};

struct DeferredClose {
  bool delete_session = false;
  std::optional<uint64_t> delivered_seq;
};

struct Arrival : session::Binding {
  using session::Binding::Binding;
  queue::Attachment* stream = nullptr;  // null: the stream is gone
  session::Handle handle = 0;
  session::Footprint reserved;  // without a model: no rows are set aside
  session::RowSet rows;
  std::vector<DeferredTokens> tokens;  // counted by DeferredItems
  std::optional<DeferredClose> close;
};

struct Opening : Arrival {
  Opening() : Arrival(Kind::kOpening) {}
  std::shared_ptr<const registrar::OpenCall> call;
};

struct Promotion : Arrival {
  Promotion() : Arrival(Kind::kPromotion) {}
  Demoted* demoted = nullptr;
  uint64_t ticket = 0;
  std::shared_ptr<registrar::PromoteCall> call;  // null: the promotion is not at the registrar
  int64_t began_ns = 0;
  absl::Duration backoff;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_ARRIVAL_H_
