#ifndef AAREN_SERVER_SESSIONS_SHARD_TIERS_TIERS_H_
#define AAREN_SERVER_SESSIONS_SHARD_TIERS_TIERS_H_

// Tiers moves sessions between memory and the store: chooses the sessions to leave when rows are scarce, and brings a
// demoted session back when the stream sends tokens. README.md, "Where a session is", has the rules.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/sessions/registrar/owner.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/session_state.h"
#include "server/sessions/shard/arrival/arrival.h"
#include "server/sessions/shard/arrival/intake.h"
#include "server/sessions/shard/arrival/promotions.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/handles/handles.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/tiers/demoted.h"

namespace aaren::shard {

class Tiers {
 public:
  // The arguments outlive the Tiers.
  Tiers(Core& core, Residents& residents, Handles& handles, Departures& departures, Intake& intake)
      : core_(core),
        residents_(residents),
        handles_(handles),
        departures_(departures),
        intake_(intake),
        demoted_(core.options.ties.budget) {}

  // Rows for an arriving session; sessions leave for the store until the rows fit. ResourceExhausted if no session can
  // leave.
  absl::StatusOr<session::RowSet> Allocate(const session::Footprint& footprint);

  // Frees the rows set aside for an ended arrival, if any.
  void FreeReserved(Arrival& arrival);

  // An Open found no row: for about a second saves are due at once, and saved sessions may leave.
  void WantRoom();

  // True if a session or an Open waits for a row and no session can leave.
  bool RowsKeepOthersWaiting();

  // Called every few milliseconds, before the saves.
  void Tick();

  // Tokens of a demoted session bring the session back. Behind a refusal tokens are dropped until an item begins anew,
  // and need no row.
  void Accept(Demoted& demoted, const session::TokensView& tokens);
  void Close(Demoted& demoted, const DeferredClose& close);

  // How many values of a client make a token of the session.
  uint32_t values_per_token(const Demoted& demoted) const;

  // The stream has gone.
  void Abandon(Demoted& demoted);
  void Abandon(Promotion& promotion);

  // The promotion becomes a demoted session again, and the tokens are refused. REQUIRES: the promotion was not started,
  // and waits in no line.
  void SetAside(Promotion& promotion);

  // Starts promotions as far as rows are free.
  void StartPromotions();

  // The registrar's answer to a promotion.
  void EndPromotion(uint64_t ticket, const std::string& key, registrar::Promoted promoted);

  // Another writer has taken or deleted the session, under `epoch`. Does nothing for a session not demoted in the
  // shard.
  void Lose(const std::string& key, uint64_t epoch, const session::Refusal& refusal);

  const DemotedTable& demoted() const { return demoted_; }
  Promotions& promotions() { return promotions_; }
  const Promotions& promotions() const { return promotions_; }

 private:
  // The way to the store.
  session::Session* LeastRecentlyUsed(const models::LoadedModel* model);
  session::Session* AttachedToLeave(const models::LoadedModel* model);
  bool EvictOne(const models::LoadedModel* model);
  void Demote(session::Session& session);
  bool EndNeverSaved(const models::LoadedModel& model);
  void LetModelsGo();

  // The way back.
  Promotion& Promote(Demoted& demoted);
  bool Start(Promotion& promotion);
  void Unstart(Promotion& promotion);
  absl::Status SetRows(const Promotion& promotion, absl::string_view bytes);
  void Finish(Promotion& promotion, const registrar::Promoted& promoted);
  void Fail(Promotion& promotion, const session::Refusal& refusal);
  void Fail(Demoted& demoted, const session::Refusal& refusal, bool closing);
  void Forget(Demoted& demoted);
  void Erase(Demoted& demoted);

  Core& core_;
  Residents& residents_;
  Handles& handles_;
  Departures& departures_;
  Intake& intake_;
  DemotedTable demoted_;
  Promotions promotions_;
  int64_t wants_room_until_ms_ = 0;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_TIERS_TIERS_H_
