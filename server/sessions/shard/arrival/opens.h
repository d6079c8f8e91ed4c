#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_OPENS_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_OPENS_H_

// Opens is the shard's side of an Open, from the stream's request to the answer:
//
//   Begin ──► the registrar ──► Check, Reserve, Take ──► Install: the session is attached, and its items are replayed
//     │                                                └► Refuse
//     └► refused at once
//
// The registrar's side is server/sessions/registrar/open/open_operation.h. Threading: belongs to one shard.

#include <cstdint>
#include <memory>
#include <optional>

#include "server/sessions/registrar/owner.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/session_state.h"
#include "server/sessions/shard/arrival/arrival.h"
#include "server/sessions/shard/arrival/intake.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/handles/handles.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"
#include "server/sessions/shard/tiers/tiers.h"

namespace aaren::shard {

class Opens {
 public:
  // All outlive the Opens.
  struct Parts {
    Core& core;
    Residents& residents;
    Steps& steps;
    Handles& handles;
    Departures& departures;
    Intake& intake;
    Tiers& tiers;
  };
  explicit Opens(const Parts& parts) : parts_(parts), core_(parts.core) {}

  // A stream's request. Answers a refusal at once.
  void Begin(session::Peer& peer, session::Handle handle, session::OpenRequest request);

  // The stream has gone. The registrar may be at work on the Open, so the Open goes on, and gets no answer.
  void Abandon(Opening& opening);

  // The registrar's questions: server/sessions/registrar/owner.h.
  registrar::OwnerReply<session::Footprint> Check(const registrar::OpenCall& call);
  std::optional<session::Refusal> Reserve(uint64_t ticket, const session::Footprint& footprint);
  registrar::OwnerReply<session::SessionState> Take(const registrar::OpenCall& call, uint64_t epoch);
  void Install(const registrar::OpenCall& call, registrar::Installation installation);
  void Refuse(uint64_t ticket, const session::Refusal& refusal);

 private:
  std::optional<session::Refusal> CheckHandle(const queue::Attachment& stream, session::Handle handle) const;
  std::optional<session::Refusal> CheckDurability(const session::OpenRequest& request) const;
  session::SessionDurability Resolve(session::SessionDurability asked) const;
  void Submit(queue::Attachment& stream, session::Handle handle, session::OpenRequest request);
  void Fail(queue::Attachment& stream, session::Handle handle, uint64_t number, const session::Refusal& refusal);
  void AnswerRefused(Opening& opening, const session::Refusal& refusal);
  session::Session& Place(const registrar::OpenCall& call, Opening& opening,
                          const registrar::Installation& installation);
  session::Session& FindOrMake(const registrar::OpenCall& call, Opening& opening, const session::SessionState& state);
  absl::Status SetRows(session::Session& session, const registrar::Installation& installation);
  void Attach(session::Session& session, Opening& opening, const registrar::Installation& installation);

  const Parts parts_;
  Core& core_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_OPENS_H_
