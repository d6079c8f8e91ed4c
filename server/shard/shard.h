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
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/memory/memory_budget.h"
#include "server/models/model_table.h"
#include "server/queue/attachment.h"
#include "server/queue/token_queue.h"
#include "server/registrar/owner.h"
#include "server/registrar/registrar.h"
#include "server/save/saver.h"
#include "server/session/clock.h"
#include "server/session/mailbox.h"
#include "server/session/peer.h"
#include "server/session/session.h"
#include "server/session/table/row_pool.h"
#include "server/session/table/session_list.h"
#include "server/shard/demoted/demoted.h"
#include "server/shard/shard_counters.h"
#include "server/shard/stepper.h"
#include "server/shard/token_check.h"
#include "server/task/plan_table.h"

namespace aaren::shard {

struct ShardOptions {
  size_t capacity_rows = 1 << 20;                                  // of this shard, per model
  size_t max_resident_bytes = std::numeric_limits<size_t>::max();  // of its rows: beyond, the oldest go to the store
  uint32_t max_channels = 64;
  uint32_t max_tokens_per_item = 4096;
  uint64_t max_in_flight_tokens = 65536;  // next_seq - delivered_seq, and tokens waiting per session
  uint64_t max_undurable_tokens = 65536;  // per session, that the store has not taken; then its stream waits for it
  uint32_t max_sessions_per_stream = 1 << 20;
  size_t max_queued_bytes = 8 << 20;  // of tokens that wait, in the whole shard; the streams share it (AdmitsTokens)
  size_t max_pending_opens = 1024;    // likewise (AdmitsOpen)
  size_t max_step_tokens = 4096;      // times channels; taken by one Step(), which takes one token at least
  absl::Duration slice = absl::Milliseconds(1);       // what one Step() should take
  absl::Duration save_interval = absl::Seconds(1);    // zero: nothing is saved
  bool saves_outlast_server = true;                   // else no session may have EVERY_TOKEN
  absl::Duration session_ttl = absl::ZeroDuration();  // zero: sessions are kept for ever
  std::string advertise = {};  // HOST:PORT under which others are told of this server; empty: it is not told
  memory::MemoryBudget* budget =
      nullptr;                      // for what sessions cost, shared by all shards; outlives them; null: no limit
  trace::Tracer* tracer = nullptr;  // of this shard, which it outlives; null: nothing is traced
};

// What one stream has here.
struct StreamUse {
  size_t sessions = 0;      // that it has open, or is about to
  size_t queued_bytes = 0;  // of tokens that wait, or were set aside
};

class SessionShard final : public registrar::SessionOwner {
 public:
  // `models` and `clock` outlive this; `registrar` outlives all use of this. `index` counts from 0, in order of
  // AddShard.
  SessionShard(int index, ShardOptions options, const models::ModelTable& models, registrar::Registrar& registrar,
               const session::Clock& clock = session::Clock::System());
  ~SessionShard() override;

  // Whether an item may be handed over now. If not, Peer::OnRoom tells when to ask again.
  bool AdmitsOpen(session::Peer& peer);                         // another Open, or a Close that deletes
  bool AdmitsTokens(session::Peer& peer, size_t bytes);         // a Tokens item of about so many bytes
  bool IsClosing(session::Peer& peer, session::Handle handle);  // no: a Close of the handle is under way

  // Whether no tokens of the peer's tenant are admitted until some are stepped.
  bool QueueIsFull(session::Peer& peer) { return queue_.IsFull(StreamOf(peer)); }

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
  registrar::OwnerReply<store::Attempt> Drop(const std::string& key, const registrar::DropCondition& condition,
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
  struct DeferredTokens {
    session::TokensView view;  // of the two below
    std::vector<float> values;
    std::vector<int64_t> times_ns;
    uint64_t tokens = 0;
    trace::Held trace;
    size_t bytes() const { return sizeof(*this) + values.size() * sizeof(float) + times_ns.size() * sizeof(int64_t); }
  };
  struct DeferredClose {
    bool delete_session = false;
    std::optional<uint64_t> delivered_seq;
  };
  // A session that is about to come, and what its stream sent for it meanwhile.
  struct Arrival : session::Binding {
    using session::Binding::Binding;
    queue::Attachment* stream = nullptr;  // null: the stream is gone
    session::Handle handle = 0;
    session::Footprint reserved;  // no model: nothing
    session::RowSet rows;
    std::vector<DeferredTokens> tokens;
    std::optional<DeferredClose> close;
  };
  // By an Open under way.
  struct Opening : Arrival {
    Opening() : Arrival(Kind::kOpening) {}
    std::shared_ptr<const registrar::OpenCall> call;
  };
  // A demoted session, on its way back.
  struct Promotion : Arrival {
    Promotion() : Arrival(Kind::kPromotion) {}
    Demoted* demoted = nullptr;
    uint64_t ticket = 0;
    std::shared_ptr<registrar::PromoteCall> call;  // null: it is not at the registrar
    int64_t began_ns = 0;
    absl::Duration backoff;
  };
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
  std::optional<session::Refusal> Check(const session::Session& session, const session::TokensView& tokens,
                                        uint32_t skip, store::TokenClock& clock) const;
  void NoteUse(session::Session& session);
  void RefuseTokens(session::Session& session, session::Refusal refusal, uint64_t tokens, trace::Mark trace = 0);
  void NoteRefused(trace::Mark trace, const session::Refusal& refusal);
  void SetAside(const queue::Attachment& stream, size_t needed);
  void SetAside(session::Session& session);
  void SetPromotionsAside(const queue::Attachment& stream, size_t needed);
  void SetPromotionsAside(const queue::Attachment& stream, size_t needed, bool own);
  bool MayMakeRoom(const Promotion& promotion, const queue::Attachment& stream, bool own) const;
  void SetAside(Promotion& promotion);
  void AcceptDemoted(Demoted& demoted, const session::TokensView& tokens);
  void Defer(Arrival& arrival, const session::TokensView& tokens, uint32_t channels);
  void DropDeferred(Arrival& arrival);
  uint64_t ForgetDeferred(Arrival& arrival);
  void Deliver(session::Session& session, std::optional<uint64_t> delivered_seq);
  size_t StepSlice();
  void BeginStep();
  size_t EndStep();
  void FinishStep();
  void DoItems(session::Session& session);
  void AfterStep();
  void Lose(session::Session& session, const absl::Status& status);
  void AdaptSlice(int64_t units, int64_t took_ns);

  // Attaching and detaching.
  std::optional<session::Refusal> CheckDurability(const session::OpenRequest& request) const;
  session::SessionDurability Resolve(session::SessionDurability asked) const;
  static std::optional<session::Refusal> CheckCall(const registrar::OpenCall& call, const session::Session& session);
  void DropItems(queue::Attachment& stream, session::Handle handle);
  void EraseHandle(queue::Attachment& stream, session::Handle handle);
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

  session::SessionList& Resting(const models::LoadedModel& model);

  // Puts the session into the list that its state asks for.
  void Settle(session::Session& session);

  // Forgets a session. REQUIRES: it is detached.
  void Remove(session::Session& session);

  // What a session takes of the budget, and its rows.
  static size_t BytesOf(const models::LoadedModel& model, uint32_t channels);
  absl::StatusOr<session::RowSet> Allocate(const session::Footprint& footprint);
  void Free(const models::LoadedModel& model, uint32_t channels, session::RowSet rows);
  absl::StatusOr<session::RowSet> AllocateEvicting(const session::Footprint& footprint);
  void Count(const models::LoadedModel& model, int sessions);
  void WatchStore();
  void FreeReserved(Arrival& arrival);

  // Tiers.
  session::Session* LeastRecentlyUsed(const models::LoadedModel* model);
  session::Session* AttachedToLeave(const models::LoadedModel* model);
  bool EvictOne(
      const models::LoadedModel* model);  // leaves it to the store; null: of any model. False if there is none
  void Demote(session::Session& session);
  void Forget(Demoted& demoted);
  void EraseDemoted(Demoted& demoted);
  bool IsOverfull() const;
  void KeepTiers();
  void LetModelsGo();
  void WantRoom();
  Promotion& Promote(Demoted& demoted);
  std::deque<uint64_t>& PromotionsOf(size_t model);
  void StartPromotions();
  bool StartNextOf(std::deque<uint64_t>& waiting);
  bool PromotionsWait() const;
  bool RowsKeepOthersWaiting();
  bool EndNeverSaved(const models::LoadedModel& model);
  bool StartPromotion(Promotion& promotion);
  void Unstart(Promotion& promotion);
  std::unique_ptr<Promotion> TakePromotion(uint64_t ticket);
  void RetryPromotion(Promotion& promotion);
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
  registrar::Registrar::Impl& registrar_;
  const session::Clock& clock_;
  ShardCounters counters_;
  session::Mailbox mailbox_;
  session::RowPool rows_;
  task::PlanTable plans_;
  queue::TokenQueue queue_;
  Stepper stepper_;
  save::Saver saver_;
  std::deque<session::SessionList> resting_;  // by model: at rest and saved, in the order in which they came to rest
  absl::flat_hash_set<std::unique_ptr<session::Session>, session::ByKey<session::Session>,
                      session::ByKey<session::Session>>
      sessions_;
  absl::flat_hash_map<session::Peer*, std::unique_ptr<queue::Attachment>> streams_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Opening>> openings_;  // by ticket
  absl::flat_hash_map<uint64_t, std::unique_ptr<Closing>> closings_;
  DemotedTable demoted_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Promotion>> promotions_;  // by ticket
  std::deque<std::deque<uint64_t>> promotions_waiting_;                   // for rows: their tickets, by model
  std::multimap<int64_t, uint64_t> retries_;                              // their tickets, by when to try again, ms
  size_t promotions_started_ = 0;                                         // at the registrar
  int64_t wants_room_until_ms_ = 0;                                       // an Open found none
  std::vector<Eviction> evictions_;
  uint64_t next_ticket_ = 0;
  size_t deferred_tokens_ = 0;  // of all openings
  size_t attached_ = 0;
  size_t refused_handles_ = 0;  // remembered, of all streams
  bool may_set_aside_ = false;  // something came since SetAside
  size_t stalled_ = 0;          // sessions whose streams wait for the store
  Slice slice_;                 // the latest
  bool saves_wait_ = false;     // for the end of the step under way
  int64_t slice_units_;         // what takes about as long as a slice should
  double last_pace_ = 0;        // of the last full slice, units a nanosecond
  int64_t arrival_ns_ = 0;      // of the tokens of this drain; 0: read the clock at the next
  int64_t next_sweep_ms_ = 0;
  int64_t next_watch_ms_ = 0;                                   // of the store
  session::Binding refused_{session::Binding::Kind::kRefused};  // shared by all such handles
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_SHARD_H_
