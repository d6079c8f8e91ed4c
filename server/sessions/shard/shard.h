#ifndef AAREN_SERVER_SESSIONS_SHARD_SHARD_H_
#define AAREN_SERVER_SESSIONS_SHARD_SHARD_H_

// A SessionShard is the logic of one core: the sessions last opened on the core, the rows, and the waiting tokens. The
// shard is made of parts, and a part may use earlier parts:
//
//   Residents   sessions, rows, and every list of sessions
//   Steps       the queue, and slices of about a millisecond through the engines
//   Handles     streams, and the meaning of a stream's handles
//   Departures  how a session leaves the stream, or the shard
//   Saves       server/sessions/save/saves.h
//   Intake      a session's items: tokens are checked and queued
//   Tiers       the sessions to leave for the store when rows are scarce, and the way back
//   Opens       Opens, from the stream's request to the answer
//   Aside       room in a full queue, where tokens wait for a client's delivered_seq
//   Expiry      the end of sessions by time
//   Answers     the registrar's questions
//
// A session belongs to the shard of the latest Open. Opens, unary calls and rows travel between shards as mailbox
// messages through the registrar. A session's answers keep the order of the items. README.md tells the life of a token.
//
// Threading: every method is called on the shard's own thread, but counters() may be read by any thread, and any thread
// may post to mailbox(). A method may answer any connected peer; a peer's methods must not call the shard back.
//
// Lifetime: the registrar is destroyed before the shard; afterwards the shard may only be destroyed.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/time/time.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/directory.h"
#include "server/sessions/registrar/owner.h"
#include "server/sessions/save/saves.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/shard/answers.h"
#include "server/sessions/shard/arrival/aside.h"
#include "server/sessions/shard/arrival/intake.h"
#include "server/sessions/shard/arrival/opens.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/departure/expiry.h"
#include "server/sessions/shard/handles/handles.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/residents/saved_residents.h"
#include "server/sessions/shard/shard_options.h"
#include "server/sessions/shard/step/steps.h"
#include "server/sessions/shard/tiers/tiers.h"

namespace aaren::shard {

class SessionShard final : private StepEvents {
 public:
  // `models` and `clock` outlive the shard; `directory` outlives all use of the shard. `index` counts from 0, in order
  // of AddShard.
  SessionShard(int index, ShardOptions options, const models::ModelTable& models, registrar::Directory& directory,
               const session::Clock& clock = session::Clock::System());

  // The shard, for Registrar::AddShard.
  registrar::SessionOwner& owner() { return answers_; }
  session::Mailbox& mailbox() { return core_.mailbox; }

  // True if an item may be handed over now. Otherwise Peer::OnRoom tells when to ask again.
  bool AdmitsOpen(session::Peer& peer) { return handles_.AdmitsOpen(peer); }  // an Open, or a deleting Close
  bool AdmitsTokens(session::Peer& peer, size_t bytes) { return aside_.Admits(peer, bytes); }  // a Tokens item
  bool IsClosing(session::Peer& peer, session::Handle handle);  // a Close is under way: no item may be handed over

  // True if the peer's tenant may hand over no tokens until some are stepped.
  bool QueueIsFull(session::Peer& peer) { return steps_.queue().room().IsFull(handles_.Of(peer)); }

  // HasHandles is true if a handle of the peer is open; Owes is true if an item handed over is unanswered.
  bool HasHandles(session::Peer& peer) { return handles_.Of(peer).open_handles() > 0; }
  bool Owes(session::Peer& peer) { return handles_.Owes(peer); }

  // The peer's sessions and waiting bytes in the shard.
  StreamUse UseOf(const session::Peer& peer) const { return Handles::UseOf(peer); }

  // Each answers through `peer`, at once or from a later DrainMailbox() or Step(). REQUIRES: the item may be handed
  // over. Tokens is false, and does nothing, if a Close of the handle is under way or the session waits for the store.
  void Open(session::Peer& peer, session::Handle handle, session::OpenRequest request);
  bool Tokens(session::Peer& peer, const session::TokensView& tokens);
  void Close(session::Peer& peer, session::Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq);

  // The stream is gone: the sessions stay without a stream, and waiting tokens are dropped. `peer` is never called
  // again.
  void Disconnect(session::Peer& peer);

  // The peer takes forecasts again (Peer::HasRoom).
  void Resume(session::Peer& peer) { steps_.queue().turns().Resume(handles_.Of(peer)); }

  // Handles messages from the mailbox: `at_most` messages, or for about `at_most`. True if a message was handled.
  bool DrainMailbox(size_t at_most = std::numeric_limits<size_t>::max());
  bool DrainMailboxFor(absl::Duration at_most);

  // Steps a slice of the waiting tokens; with a device, as far as the device has come. Returns the number of answered
  // tokens, or of sessions answered without tokens. The caller must not sleep while the number is not zero, since more
  // may wait, nor while a step is under way.
  size_t Step();
  bool StepUnderWay() const { return steps_.under_way(); }

  // Starts due saves and expires sessions. The caller ticks every few milliseconds.
  void Tick();

  // True while a step is under way, or the registrar works on a request of the shard.
  bool Busy() const;

  // True if tokens wait to be stepped, tokens of clients without room for replies included.
  bool TokensWait() const;

  // Starts to save every session unsaved now; the shard still takes tokens.
  void SaveEarly() { saves_.SaveEarly(); }

  // Saves every session with unsaved tokens, and from now on tokens as soon as stepped. Busy() until the store has all
  // tokens (keep calling DrainMailbox() and Tick()). For shutdown.
  void SaveAll() { saves_.SaveAll(); }

  const ShardCounters& counters() const { return core_.counters; }
  trace::Tracer* tracer() const { return core_.options.ties.tracer; }  // null: no message is traced

 private:
  void OnClose(session::Session& session, bool delete_session) override;
  void OnFailed(session::Session& session, const absl::Status& status) override;
  void OnStepEnded() override;
  void TellOverdue();
  void UpdateLevels();

  Core core_;
  Residents residents_;
  Steps steps_;
  Handles handles_;
  Departures departures_;
  SavedResidents saved_;
  save::Saves saves_;
  Intake intake_;
  Tiers tiers_;
  Opens opens_;
  Aside aside_;
  Expiry expiry_;
  Answers answers_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_SHARD_H_
