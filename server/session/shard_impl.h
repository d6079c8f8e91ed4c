#ifndef AAREN_SERVER_SESSION_SHARD_IMPL_H_
#define AAREN_SERVER_SESSION_SHARD_IMPL_H_

// SessionShard::Impl ties a shard's parts together: which handles stand for which sessions, what waits, what is saved.
//
// A session here is attached (a stream has it open) or detached. Nothing but a step happens to a session while items
// of it wait: whatever else is asked for flushes the queue first, so items are answered in order and next_seq is the
// whole truth about the rows.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/session/handle_table.h"
#include "server/session/output_plan.h"
#include "server/session/ownership.h"
#include "server/session/registrar_impl.h"
#include "server/session/row_pool.h"
#include "server/session/saver.h"
#include "server/session/session.h"
#include "server/session/session_list.h"
#include "server/session/shard.h"
#include "server/session/stepper.h"
#include "server/session/token_check.h"
#include "server/session/token_queue.h"

namespace aaren {

class SessionShard::Impl : public SessionOwner {
 public:
  Impl(int index, ShardOptions options, const ModelTable& models, Registrar::Impl& registrar);

  // What streams ask for (shard.h).
  void Open(Peer& peer, Handle handle, OpenRequest request);
  void Tokens(Peer& peer, const TokensView& tokens);
  void Close(Peer& peer, Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq);
  void Disconnect(Peer& peer);

  bool DrainMailbox();
  size_t Step();
  void Tick(absl::Time now);
  bool Full() const;
  bool Busy() const;
  void SaveAll();
  const ShardCounters& counters() const { return counters_; }

  // What the registrar asks for (ownership.h).
  Mailbox& mailbox() override { return mailbox_; }
  const ShardOptions& options() const override { return options_; }
  OwnerReply<Footprint> CheckOpen(const OpenCall& call) override;
  std::optional<Refusal> Reserve(uint64_t ticket, Footprint footprint) override;
  OwnerReply<SessionState> Take(const OpenCall& call, uint64_t epoch) override;
  void Install(const OpenCall& call, Installation installation) override;
  void RefuseOpen(uint64_t ticket, const Refusal& refusal) override;
  OwnerReply<SessionState> Capture(const std::string& key) override;
  std::vector<std::optional<SessionInfo>> Describe(const std::vector<std::string>& keys) override;
  OwnerReply<std::monostate> Drop(const std::string& key, const DropCondition& condition, uint64_t epoch) override;
  void SavesDone(const std::vector<SaveResult>& results) override;

 private:
  struct DeferredTokens {
    TokensView view;  // of the two below
    std::vector<float> values;
    std::vector<int64_t> times_ns;
  };
  struct DeferredClose {
    bool delete_session = false;
    std::optional<uint64_t> delivered_seq;
  };
  // An Open under way, and what its stream sent for it meanwhile.
  struct Opening : Binding {
    Opening() : Binding(Kind::kOpening) {}
    Peer* peer = nullptr;  // null: the stream is gone
    Handle handle = 0;
    Footprint reserved;  // no model: nothing
    RowSet rows;
    std::vector<DeferredTokens> tokens;
    size_t values = 0;        // of `tokens`
    bool overflowed = false;  // more than that came and was dropped
    std::optional<DeferredClose> close;
  };
  // A Close under way that deletes.
  struct Closing : Binding {
    Closing() : Binding(Kind::kClosing) {}
    Peer* peer = nullptr;
    Handle handle = 0;
    uint64_t next_seq = 0, durable_seq = 0;
  };
  HandleTable& HandlesOf(Peer& peer);
  Session* Find(absl::string_view key);

  // Tokens.
  void Accept(Session& session, const TokensView& tokens);
  std::optional<Refusal> Check(const Session& session, const TokensView& tokens, uint32_t skip,
                               TokenClock& clock) const;
  void RefuseTokens(Session& session, const Refusal& refusal, uint64_t tokens);
  void Defer(Opening& opening, const TokensView& tokens);
  void AfterStep();

  // Steps until nothing of the session waits. False if it is gone then: its engine failed.
  bool Flush(Session& session);

  // Attaching and detaching.
  void FailOpen(Peer& peer, Handle handle, const Refusal& refusal);
  Session& Place(const OpenCall& call, Opening& opening, Installation& installation);
  void Attach(Session& session, const OpenCall& call, Opening& opening, const Installation& installation);
  void Replay(Session& session, Opening& opening);
  void CloseSession(Session& session, const DeferredClose& close);
  void FinishClose(uint64_t ticket, const Outcome<std::monostate>& outcome);
  void Fence(Session& session, uint64_t current_epoch);
  void Detach(Session& session);
  void LetRest(Session& session);

  // Puts the session into the list that its state asks for.
  void Settle(Session& session);

  // Forgets a session. REQUIRES: it is detached and nothing of it waits.
  void Remove(Session& session);

  absl::StatusOr<RowSet> AllocateEvicting(Footprint footprint);
  bool EvictOne(const LoadedModel& model);
  void FreeReserved(Opening& opening);
  void Expire(Session& session, absl::Time now);
  void OnSaveFailed(Session& session, const SaveResult& result);
  SessionState StateOf(Session& session, bool with_rows);
  SessionInfo InfoOf(Session& session);
  void UpdateLevels();

  const int index_;
  const ShardOptions options_;
  Registrar::Impl& registrar_;
  ShardCounters counters_;
  Mailbox mailbox_;
  RowPool rows_;
  PlanTable plans_;
  TokenQueue queue_;
  Stepper stepper_;
  Saver saver_;
  SessionList resting_{Session::List::kResting};  // detached and saved, least recently used first
  absl::flat_hash_set<std::unique_ptr<Session>, ByKey<Session>, ByKey<Session>> sessions_;
  absl::flat_hash_map<Peer*, std::unique_ptr<HandleTable>> peers_;
  Peer* last_peer_ = nullptr;  // whose table is last_handles_
  HandleTable* last_handles_ = nullptr;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Opening>> openings_;  // by ticket
  absl::flat_hash_map<uint64_t, std::unique_ptr<Closing>> closings_;
  uint64_t next_ticket_ = 0;
  size_t deferred_values_ = 0;  // of all openings
  size_t attached_ = 0;
  Session* flushing_ = nullptr;  // null once it is gone
  int64_t now_ms_ = 0;           // since 1970, as of the last Tick
  int64_t next_sweep_ms_ = 0;
  Binding refused_{Binding::Kind::kRefused};  // shared by all such handles
};

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_SHARD_IMPL_H_
