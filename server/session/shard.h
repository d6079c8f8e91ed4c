#ifndef AAREN_SERVER_SESSION_SHARD_H_
#define AAREN_SERVER_SESSION_SHARD_H_

// A SessionShard is the logic of one core: the sessions that were last opened there, their rows, and the tokens waiting
// to be stepped.
//
// Life of a token: Tokens() checks it (width, times, seq) and puts it in its session's flow; Step() takes a slice of
// about a millisecond of what waits, streams and sessions in turn, through the engine and answers each peer. Batches
// form by load: whatever waits is the next batch. Nothing is folded unless the whole item is valid.
//
// A session belongs to the shard of its latest Open. Opens, unary calls and rows travel between shards as mailbox
// messages through the Registrar, which knows who owns what and talks to the store.
//
// Threading: every method is called on the shard's own thread, except mailbox() whose Post is open to all. Any of them
// may answer any connected peer; a peer's methods must not call the shard back.
//
// Lifetime: a registrar that shards were added to is destroyed before them; after that a shard is only destroyed.

#include <cstdint>
#include <limits>
#include <memory>

#include "absl/time/time.h"
#include "server/memory/memory_budget.h"
#include "server/session/clock.h"
#include "server/session/mailbox.h"
#include "server/session/model_table.h"
#include "server/session/peer.h"
#include "server/session/shard_counters.h"

namespace aaren {

class Registrar;

struct ShardOptions {
  size_t capacity_rows = 1 << 20;  // of this shard's slab, per model
  uint32_t max_channels = 64;
  uint32_t max_tokens_per_item = 4096;
  uint64_t max_in_flight_tokens = 65536;  // next_seq - delivered_seq, and tokens waiting per session
  uint32_t max_sessions_per_stream = 1 << 20;
  size_t max_queued_bytes = 8 << 20;  // of tokens that wait, in the whole shard; the streams share it (AdmitsTokens)
  size_t max_pending_opens = 1024;    // likewise (AdmitsOpen)
  size_t max_step_tokens = 4096;      // times channels; taken by one Step(), which takes one token at least
  absl::Duration slice = absl::Milliseconds(1);            // what one Step() should take
  absl::Duration save_interval = absl::Milliseconds(500);  // zero: nothing is saved
  absl::Duration session_ttl = absl::ZeroDuration();       // zero: sessions are kept for ever
  MemoryBudget* budget = nullptr;  // for what sessions cost, shared by all shards; outlives them; null: no limit
};

class SessionShard {
 public:
  // `models` and `clock` outlive this; `registrar` outlives all use of this. `index` counts from 0, in order of
  // AddShard.
  SessionShard(int index, ShardOptions options, const ModelTable& models, Registrar& registrar,
               const Clock& clock = Clock::System());
  ~SessionShard();

  // Whether an item may be handed over now. If not, Peer::OnRoom tells when to ask again.
  bool AdmitsOpen(Peer& peer);                  // another Open, or a Close that deletes
  bool AdmitsTokens(Peer& peer, size_t bytes);  // a Tokens item of about so many bytes
  bool IsClosing(Peer& peer, Handle handle);    // no: a Close of the handle is under way

  // Whether no tokens are admitted until some are stepped.
  bool QueueIsFull() const;

  // Whether a handle of the peer is open, or something that was handed over is not answered yet.
  bool HasHandles(Peer& peer);
  bool Owes(Peer& peer);

  // Each answers through `peer`, at once or from a later DrainMailbox() or Step(). REQUIRES: it may be handed over.
  // Tokens looks for a Close of their handle itself, and is false if one is under way.
  void Open(Peer& peer, Handle handle, OpenRequest request);
  bool Tokens(Peer& peer, const TokensView& tokens);
  void Close(Peer& peer, Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq);

  // The stream is gone: its sessions stay, detached, and what waited of them is dropped. `peer` is never called again.
  void Disconnect(Peer& peer);

  // The peer takes forecasts again (Peer::HasRoom).
  void Resume(Peer& peer);

  // Handles messages from other threads, `at_most` of them or for about so long. True if there were any.
  bool DrainMailbox(size_t at_most = std::numeric_limits<size_t>::max());
  bool DrainMailboxFor(absl::Duration at_most);

  // Steps a slice of what waits. Returns the number of tokens taken, or of the sessions that got other answers; as long
  // as it is not zero more may wait, so do not sleep.
  size_t Step();

  // Starts the saves that are due and expires sessions. Call it every few milliseconds.
  void Tick();

  // True while Opens, saves or other work of this shard's own is under way at the registrar.
  bool Busy() const;

  // Whether tokens wait to be stepped, be it because their client does not read.
  bool TokensWait() const;

  // Saves every session with unsaved tokens, and from now on tokens as soon as they are taken; Busy() until the store
  // has them (keep calling DrainMailbox() and Tick()). For shutdown.
  void SaveAll();

  Mailbox& mailbox();
  const ShardCounters& counters() const;  // readable from any thread

 private:
  friend class Registrar;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_SHARD_H_
