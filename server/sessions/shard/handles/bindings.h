#ifndef AAREN_SERVER_SESSIONS_SHARD_HANDLES_BINDINGS_H_
#define AAREN_SERVER_SESSIONS_SHARD_HANDLES_BINDINGS_H_

// A stream's handle stands for a Binding: a session, a session on its way, a demoted session, a Close under way, or
// after a refusal nothing. Only VisitBinding turns a Binding into the session, Opening or Closing.

#include "server/sessions/queue/attachment.h"
#include "server/sessions/session/session.h"
#include "server/sessions/shard/arrival/arrival.h"
#include "server/sessions/shard/tiers/demoted.h"

namespace aaren::shard {

// A deleting Close under way.
struct Closing : session::Binding {
  Closing() : session::Binding(Kind::kClosing) {}
  queue::Attachment* stream = nullptr;  // null: the stream is gone
  session::Handle handle = 0;
  uint64_t next_seq = 0, durable_seq = 0;
};

// A visitor made of lambdas: a lambda for each kind of interest, and a lambda for session::Binding& for the rest.
template <typename... Visitors>
struct Visitor : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Visitor(Visitors...) -> Visitor<Visitors...>;

// Calls `visit` with the Session, Opening, Promotion, Demoted or Closing; with the Binding for a refused handle.
template <typename Visit>
auto VisitBinding(session::Binding& binding, Visit visit) {
  switch (binding.kind) {
    case session::Binding::Kind::kSession:
      return visit(static_cast<session::Session&>(binding));
    case session::Binding::Kind::kOpening:
      return visit(static_cast<Opening&>(binding));
    case session::Binding::Kind::kPromotion:
      return visit(static_cast<Promotion&>(binding));
    case session::Binding::Kind::kDemoted:
      return visit(static_cast<Demoted&>(binding));
    case session::Binding::Kind::kClosing:
      return visit(static_cast<Closing&>(binding));
    case session::Binding::Kind::kRefused:
      break;
  }
  return visit(binding);
}

// True while a Close of the handle is under way.
inline bool IsClosing(session::Binding& binding) {
  return VisitBinding(binding,
                      Visitor{[](session::Session& session) { return session.closing; },
                              [](Arrival& arrival) { return arrival.close.has_value(); }, [](Closing&) { return true; },
                              [](Demoted&) { return false; }, [](session::Binding&) { return false; }});
}

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_HANDLES_BINDINGS_H_
