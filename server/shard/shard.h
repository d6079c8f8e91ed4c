#ifndef AAREN_SERVER_SHARD_SHARD_H_
#define AAREN_SERVER_SHARD_SHARD_H_

// A SessionShard is the logic of one core: the sessions that were last opened there, their rows, and the tokens waiting
// to be stepped.
//
// Life of a token: Tokens() checks it (width, times, seq) and puts it in its session's flow. Step() takes a slice of
// about a millisecond of what waits, streams and sessions in turn, through the engine and answers each peer. Batches
// form by load: whatever waits is the next batch. Nothing is folded unless the whole item is valid.
//
// A session belongs to the shard of its latest Open. Opens, unary calls and rows travel between shards as mailbox
// messages through the Registrar, which knows who owns what and talks to the store.
//
// A session here is attached (a stream has it open) or at rest. Of one that is demoted only its handle is here. What
// waits of it is in its flow, and only an attached session has one. Answers keep the order of what they answer: what
// must not overtake tokens waits behind them. Whoever takes a session away, or asks for its state, gets it as of its
// last step; what waited is dropped.
//
// The engine may take its time. While a step is under way, the shard goes on with everything that leaves the rows in it
// alone. What needs one of those rows waits for the step's end (README.md, "A step under way").
//
// The sources follow the questions:
//
//   shard_streams.cc  what streams ask for          shard_answers.cc  what else the registrar asks for
//   shard_tokens.cc   tokens and steps              shard_rest.cc     saving and expiring
//   shard_opens.cc    Opens                         shard_tiers.cc    who is in the slab, and who in the store only
//
// Threading: every method is called on the shard's own thread, except mailbox() whose Post is open to all. Any of them
// may answer any connected peer; a peer's methods must not call the shard back.
//
// Lifetime: a registrar that shards were added to is destroyed before them; after that a shard is only destroyed.

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/models/model_table.h"
#include "server/queue/attachment.h"
#include "server/queue/token_queue.h"
#include "server/registrar/directory.h"
#include "server/registrar/owner.h"
#include "server/save/saver.h"
#include "server/session/clock.h"
#include "server/session/mailbox.h"
#include "server/session/peer.h"
#include "server/session/session.h"
#include "server/session/table/row_pool.h"
#include "server/shard/arrival/arrival.h"
#include "server/shard/arrival/deferred_items.h"
#include "server/shard/arrival/promotions.h"
#include "server/shard/demoted/demoted.h"
#include "server/shard/refused_handles.h"
#include "server/shard/shard_counters.h"
#include "server/shard/shard_options.h"
#include "server/shard/slab/resting_sessions.h"
#include "server/shard/slab/slab.h"
#include "server/shard/slice_pace.h"
#include "server/shard/stepper.h"
#include "server/task/plan_table.h"

namespace aaren::shard {

class SessionShard final : public registrar::SessionOwner {
 public:
  // `models` and `clock` outlive this; `directory` outlives all use of this. `index` counts from 0, in order of
  // AddShard.
  SessionShard(int index, ShardOptions options, const models::ModelTable& models, registrar::Directory& directory,
               const session::Clock& clock = session::Clock::System());
  ~SessionShard() override;

  // Whether an item may be handed over now. If not, Peer::OnRoom tells when to ask again.
  bool AdmitsOpen(session::Peer& peer);                         // another Open, or a Close that deletes
  bool AdmitsTokens(session::Peer& peer, size_t bytes);         // a Tokens item of about so many bytes
  bool IsClosing(session::Peer& peer, session::Handle handle);  // no: a Close of the handle is under way

  // Whether no tokens of the peer's tenant are admitted until some are stepped.
  bool QueueIsFull(session::Peer& peer) { return queue_.room().IsFull(StreamOf(peer)); }

  // Whether a handle of the peer is open, or something that was handed over is not answered yet.
  bool HasHandles(session::Peer& peer) { return StreamOf(peer).open_handles() > 0; }
  bool Owes(session::Peer& peer);

  // What it makes this shard hold.
  StreamUse UseOf(const session::Peer& peer) const;

  // Each answers through `peer`, at once or from a later DrainMailbox() or Step(). REQUIRES: it may be handed over.
  // Tokens looks for a Close of their handle itself, and is false if one is under way, or if the session waits for the
  // store.
  void Open(session::Peer& peer, session::Handle handle, session::OpenRequest request);
  bool Tokens(session::Peer& peer, const session::TokensView& tokens);
  void Close(session::Peer& peer, session::Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq);

  // The stream is gone: its sessions stay, detached, and what waited of them is dropped. `peer` is never called again.
  void Disconnect(session::Peer& peer);

  // The peer takes forecasts again (Peer::HasRoom).
  void Resume(session::Peer& peer);

  // Handles messages from other threads, `at_most` of them or for about so long. True if there were any.
  bool DrainMailbox(size_t at_most = std::numeric_limits<size_t>::max());
  bool DrainMailboxFor(absl::Duration at_most);

  // Steps a slice of what waits; with an engine that is not done at once, as far as it is. Returns the number of tokens
  // that were answered, or of the sessions that got other answers. As long as that is not zero more may wait, and while
  // a step is under way its results may come: do not sleep.
  size_t Step();
  bool StepUnderWay() const { return stepper_.under_way(); }

  // Starts the saves that are due and expires sessions. Call it every few milliseconds.
  void Tick();

  // True while a step is under way, or Opens, saves or other work of this shard's own at the registrar.
  bool Busy() const;

  // Whether tokens wait to be stepped, be it because their client does not read.
  bool TokensWait() const;

  // Starts to save what is unsaved now, beside the tokens that still come.
  void SaveEarly();

  // Saves every session with unsaved tokens, and from now on tokens as soon as they are taken; Busy() until the store
  // has them (keep calling DrainMailbox() and Tick()). For shutdown.
  void SaveAll();

  const ShardCounters& counters() const { return counters_; }  // readable from any thread
  trace::Tracer* tracer() const { return options_.tracer; }    // null: nothing is traced

  // What the registrar asks for (server/registrar/owner.h).
  session::Mailbox& mailbox() override { return mailbox_; }
  registrar::OwnerLimits limits() const override;
  registrar::OwnerReply<session::Footprint> CheckOpen(const registrar::OpenCall& call) override;
  std::optional<session::Refusal> Reserve(uint64_t ticket, session::Footprint footprint) override;
  registrar::OwnerReply<session::SessionState> Take(const registrar::OpenCall& call, uint64_t epoch) override;
  void Install(const registrar::OpenCall& call, registrar::Installation installation) override;
  void RefuseOpen(uint64_t ticket, const session::Refusal& refusal) override;
  registrar::OwnerReply<session::SessionState> Capture(const std::string& key) override;
  std::vector<std::optional<session::SessionInfo>> Describe(const std::vector<std::string>& keys) override;
  registrar::OwnerReply<std::monostate> Hold(const std::string& key,
                                             const registrar::DropCondition& condition) override;
  void Unhold(const std::string& key) override;
  registrar::OwnerReply<store::Attempt> Drop(const std::string& key, registrar::DropReason reason,
                                             uint64_t epoch) override;
  void Evict(const std::string& key, Evicted done) override;
  void Swept(size_t expired) override;
  registrar::HereReply DescribeHere(const registrar::HereQuery& query) override;
  uint64_t demoted() const override { return counters_.sessions_demoted.value(); }
  void EndPromotion(uint64_t ticket, const std::string& key, registrar::Promoted promoted) override;
  void LoseDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) override;
  std::vector<bool> HoldsDemoted(const std::vector<std::string>& keys) override;
  void SavesDone(const std::vector<save::SaveResult>& results) override;

 private:
  // A Close under way that deletes.
  struct Closing : session::Binding {
    Closing() : session::Binding(Kind::kClosing) {}
    queue::Attachment* stream = nullptr;
    session::Handle handle = 0;
    uint64_t next_seq = 0, durable_seq = 0;
  };
  // What a Close that deletes needs to know of its session.
  struct Closable {
    queue::Attachment* stream;
    session::Handle handle;
    std::string key;
    uint64_t epoch, next_seq, durable_seq;
  };
  // A session that is to leave for the store as soon as that has it.
  struct Eviction {
    std::string key;
    int64_t deadline_ms = 0;
    Evicted done;
  };
  // A slice that has begun, and may go on when the step under way is done.
  struct Slice {
    int64_t units = 0;  // of all of it
    int64_t left = 0;
    int64_t began_ns = 0;
  };
  queue::Attachment& StreamOf(session::Peer& peer);
  static bool IsClosing(const session::Binding& binding);
  session::Session* Find(absl::string_view key);

  // Likewise, once it is not under way any more: waits for the step that it is in.
  session::Session* FindSettled(absl::string_view key);

  // Tokens.
  bool WaitsForStore(session::Session& session);
  void EndWaitForStore(session::Session& session);
  void Accept(session::Session& session, const session::TokensView& tokens);
  void NoteUse(session::Session& session);
  void RefuseTokens(session::Session& session, session::Refusal refusal, uint64_t tokens, trace::Mark trace = 0);
  void NoteRefused(trace::Mark trace, const session::Refusal& refusal);
  void SetAside(const queue::Attachment& stream, size_t needed);
  void SetAside(session::Session& session);
  void SetPromotionsAside(const queue::Attachment& stream, size_t needed, bool own);
  bool MayMakeRoom(const Promotion& promotion, const queue::Attachment& stream, bool own) const;
  void SetAside(Promotion& promotion);
  void AcceptDemoted(Demoted& demoted, const session::TokensView& tokens);
  void Defer(Arrival& arrival, const session::TokensView& tokens, uint32_t channels);
  void DropDeferred(Arrival& arrival);
  void Deliver(session::Session& session, std::optional<uint64_t> delivered_seq);
  size_t StepSlice();
  void BeginStep();
  size_t EndStep();
  void FinishStep();
  void DoItems(session::Session& session);
  void AfterStep();
  void Lose(session::Session& session, const absl::Status& status);

  // Attaching and detaching.
  std::optional<session::Refusal> CheckDurability(const session::OpenRequest& request) const;
  session::SessionDurability Resolve(session::SessionDurability asked) const;
  static std::optional<session::Refusal> CheckCall(const registrar::OpenCall& call, const session::Session& session);
  void BeginOpen(queue::Attachment& stream, session::Handle handle, session::OpenRequest request);
  void FailOpen(queue::Attachment& stream, session::Handle handle, uint64_t number, const session::Refusal& refusal);
  std::unique_ptr<Opening> TakeOpening(uint64_t ticket);
  void AnswerRefused(Opening& opening, const session::Refusal& refusal);
  session::Session& Place(const registrar::OpenCall& call, Opening& opening,
                          const registrar::Installation& installation);
  absl::Status SetRows(session::Session& session, const registrar::Installation& installation);
  void Attach(session::Session& session, Opening& opening, const registrar::Installation& installation);
  void Replay(session::Session& session, Arrival& arrival);
  void CloseSession(session::Session& session, const DeferredClose& close);
  void FinishClose(session::Session& session, bool delete_session);
  void DeleteClosed(Closable closable);
  void OnDeleted(uint64_t ticket, const session::Outcome<std::monostate>& outcome);
  std::optional<session::Refusal> CheckDrop(const session::Session& session,
                                            const registrar::DropCondition& condition) const;
  void Fence(session::Session& session, uint64_t current_epoch);
  void TakeAway(session::Session& session, const session::Refusal& refusal, uint64_t expected_seq);
  void Detach(session::Session& session);

  // Puts the session into the list that its state asks for.
  void Settle(session::Session& session);

  // Forgets a session. REQUIRES: it is detached.
  void Remove(session::Session& session);

  // Whoever can leave makes room.
  absl::StatusOr<session::RowSet> AllocateEvicting(const session::Footprint& footprint);
  void FreeReserved(Arrival& arrival);
  void WatchStore();

  // Tiers.
  session::Session* LeastRecentlyUsed(const models::LoadedModel* model);
  session::Session* AttachedToLeave(const models::LoadedModel* model);
  bool EvictOne(const models::LoadedModel* model);  // leaves it to the store. False if there is none
  void Demote(session::Session& session);
  void Forget(Demoted& demoted);
  void EraseDemoted(Demoted& demoted);
  void KeepTiers();
  void LetModelsGo();
  void WantRoom();
  Promotion& Promote(Demoted& demoted);
  void StartPromotions();
  bool RowsKeepOthersWaiting();
  bool EndNeverSaved(const models::LoadedModel& model);
  bool StartPromotion(Promotion& promotion);
  void Unstart(Promotion& promotion);
  absl::Status SetRows(const Promotion& promotion, absl::string_view bytes);
  void FinishPromotion(Promotion& promotion, const registrar::Promoted& promoted);
  void FailPromotion(Promotion& promotion, const session::Refusal& refusal);
  void FailDemoted(Demoted& demoted, const session::Refusal& refusal, bool closing);
  void CloseDemoted(Demoted& demoted, const DeferredClose& close);
  void Abandon(Promotion& promotion);

  void LetGo(session::Session& session);
  void EndEvictions();
  void EndUntold();
  bool EndUntoldInTheWay();
  void ExpireIdle();
  void Expire(session::Session& session);
  void SendSaves(std::vector<store::SaveWrite> saves);
  void StartSaves();
  void OnStored(session::Session& session, const save::SaveResult& result);
  void OnSaveFailed(session::Session& session, const save::SaveResult& result);
  session::SessionState StateOf(const session::Session& session) const;
  session::SessionInfo InfoOf(session::Session& session);
  registrar::SessionHere HereOf(session::Session& session);
  registrar::SessionHere HereOf(const Demoted& demoted);
  int64_t now_ms() const { return clock_.NowNanos() / 1'000'000; }
  void UpdateLevels();

  const int index_;
  const ShardOptions options_;
  const models::ModelTable& models_;
  registrar::Directory& directory_;
  const session::Clock& clock_;
  ShardCounters counters_;
  session::Mailbox mailbox_;
  session::RowPool rows_;
  task::PlanTable plans_;
  queue::TokenQueue queue_;
  Stepper stepper_;
  save::Saver saver_;
  Slab slab_;
  RestingSessions resting_;
  absl::flat_hash_set<std::unique_ptr<session::Session>, session::ByKey<session::Session>,
                      session::ByKey<session::Session>>
      sessions_;
  absl::flat_hash_map<session::Peer*, std::unique_ptr<queue::Attachment>> streams_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Opening>> openings_;  // by ticket
  absl::flat_hash_map<uint64_t, std::unique_ptr<Closing>> closings_;
  DeferredItems deferred_;
  DemotedTable demoted_;
  Promotions promotions_;
  RefusedHandles refused_;
  int64_t wants_room_until_ms_ = 0;  // an Open found none
  std::vector<Eviction> evictions_;
  uint64_t next_ticket_ = 0;
  size_t attached_ = 0;
  bool may_set_aside_ = false;  // something came since SetAside
  size_t stalled_ = 0;          // sessions whose streams wait for the store
  SlicePace pace_;
  Slice slice_;              // the latest
  bool saves_wait_ = false;  // for the end of the step under way
  int64_t arrival_ns_ = 0;   // of the tokens of this drain; 0: read the clock at the next
  int64_t next_sweep_ms_ = 0;
  int64_t next_watch_ms_ = 0;  // of the store
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_SHARD_H_
