#ifndef AAREN_SERVER_SESSIONS_SHARD_ANSWERS_H_
#define AAREN_SERVER_SESSIONS_SHARD_ANSWERS_H_

// Answers answers every question of the registrar about the shard's sessions, or passes the question to the right part
// of the shard. Threading: belongs to one shard.

#include <optional>
#include <string>
#include <vector>

#include "server/sessions/registrar/owner.h"
#include "server/sessions/save/saves.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/session_info.h"
#include "server/sessions/shard/arrival/opens.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"
#include "server/sessions/shard/tiers/tiers.h"

namespace aaren::shard {

class Answers final : public registrar::SessionOwner {
 public:
  // All outlive the Answers.
  struct Parts {
    Core& core;
    Residents& residents;
    Steps& steps;
    save::Saves& saves;
    Departures& departures;
    Opens& opens;
    Tiers& tiers;
  };
  explicit Answers(const Parts& parts) : parts_(parts) {}

  session::Mailbox& mailbox() override { return parts_.core.mailbox; }
  registrar::OwnerLimits limits() const override;

  // Opens.
  registrar::OwnerReply<session::Footprint> CheckOpen(const registrar::OpenCall& call) override;
  std::optional<session::Refusal> Reserve(uint64_t ticket, session::Footprint footprint) override;
  registrar::OwnerReply<session::SessionState> Take(const registrar::OpenCall& call, uint64_t epoch) override;
  void Install(const registrar::OpenCall& call, registrar::Installation installation) override;
  void RefuseOpen(uint64_t ticket, const session::Refusal& refusal) override;

  // States and descriptions.
  registrar::OwnerReply<session::SessionState> Capture(const std::string& key) override;
  std::vector<std::optional<session::SessionInfo>> Describe(const std::vector<std::string>& keys) override;
  registrar::HereReply DescribeHere(const registrar::HereQuery& query) override;

  // Ends.
  registrar::OwnerReply<uint64_t> Hold(const std::string& key, const registrar::DropCondition& condition) override;
  void Unhold(const std::string& key) override;
  registrar::OwnerReply<store::Attempt> Drop(const std::string& key, registrar::DropReason reason,
                                             uint64_t epoch) override;
  void Evict(const std::string& key, Evicted done) override;
  void Swept(size_t expired) override;
  void Deleted() override;

  // Demoted sessions.
  uint64_t demoted() const override { return parts_.core.counters.sessions_demoted.value(); }
  void EndPromotion(uint64_t ticket, const std::string& key, registrar::Promoted promoted) override;
  void LoseDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) override;
  std::vector<bool> HoldsDemoted(const std::vector<std::string>& keys) override;

  void SavesDone(const std::vector<save::SaveResult>& results) override;

 private:
  session::SessionInfo InfoOf(const session::Session& session) const;
  registrar::SessionHere HereOf(const session::Session& session) const;
  registrar::SessionHere HereOf(const Demoted& demoted) const;

  const Parts parts_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ANSWERS_H_
