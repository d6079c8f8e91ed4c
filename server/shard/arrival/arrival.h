#ifndef AAREN_SERVER_SHARD_ARRIVAL_ARRIVAL_H_
#define AAREN_SERVER_SHARD_ARRIVAL_ARRIVAL_H_

// An Arrival is a session that is about to come, and what its stream sent for it meanwhile. There are two kinds: an
// Opening comes by an Open, a Promotion by a token for a demoted session. Its stream's handle stands for it until the
// session is here. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "server/queue/attachment.h"
#include "server/registrar/owner.h"
#include "server/session/peer.h"
#include "server/session/session.h"
#include "server/session/session_state.h"
#include "server/session/table/row_pool.h"
#include "server/shard/tiers/demoted.h"
#include "server/task/token_numbers.h"
#include "server/trace/tracer.h"

namespace aaren::shard {

struct DeferredTokens {
  session::TokensView view;  // of the numbers below
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
  session::Footprint reserved;  // no model: nothing
  session::RowSet rows;
  std::vector<DeferredTokens> tokens;  // see DeferredItems
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
  std::shared_ptr<registrar::PromoteCall> call;  // null: it is not at the registrar
  int64_t began_ns = 0;
  absl::Duration backoff;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_ARRIVAL_ARRIVAL_H_
