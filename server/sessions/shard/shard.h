#ifndef AAREN_SERVER_SESSIONS_SHARD_SHARD_H_
#define AAREN_SERVER_SESSIONS_SHARD_SHARD_H_

// A SessionShard is the logic of one core: the sessions that were last opened there, their rows, and the tokens waiting
// to be stepped. The shard is made of parts, and a part may use the parts before it:
//
//   Residents   sessions, rows, and every list that a session can be in
//   Steps       the queue, and slices of about a millisecond through the engines
//   Handles     streams, and the meaning of their handles
//   Departures  how a session leaves its stream, or the shard
//   Saves       server/sessions/save/saves.h
//   Intake      a session's items: tokens are checked and queued
//   Tiers       who leaves for the store when rows are scarce, and the way back
//   Opens       Opens, from the stream's request to the answer
//   Aside       room in a full queue, where tokens wait for a client's word
//   Expiry      sessions that end by time
//   Answers     the shard as the registrar sees it
//
// A session belongs to the shard of its latest Open. Opens, unary calls and rows travel between shards as mailbox
// messages through the registrar. Answers of a session keep the order of its items. README.md tells the life of a
// token.
//
// Threading: every method is called on the shard's own thread, but counters() may be read by any thread, and any thread
// may post to mailbox(). A method may answer any connected peer; a peer's methods must not call the shard back.
//
// Lifetime: a registrar that knows the shard is destroyed before the shard; after that the shard is only destroyed.

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
  // `models` and `clock` outlive this; `directory` outlives all use of this. `index` counts from 0, in order of
  // AddShard.
  SessionShard(int index, ShardOptions options, const models::ModelTable& models, registrar::Directory& directory,
               const session::Clock& clock = session::Clock::System());

  // The shard, for Registrar::AddShard.
  registrar::SessionOwner& owner() { return answers_; }
  session::Mailbox& mailbox() { return core_.mailbox; }

  // True if an item may be handed over now. Otherwise Peer::OnRoom tells when to ask again.
  bool AdmitsOpen(session::Peer& peer) { return handles_.AdmitsOpen(peer); }  // an Open, or a Close that deletes
  bool AdmitsTokens(session::Peer& peer, size_t bytes) { return aside_.Admits(peer, bytes); }  // of about so many bytes
  bool IsClosing(session::Peer& peer, session::Handle handle);  // a Close is under way: no item may be handed over

  // True if the peer's tenant may hand over no tokens until some are stepped.
  bool QueueIsFull(session::Peer& peer) { return steps_.queue().room().IsFull(handles_.Of(peer)); }

  // True if a handle of the peer is open; true if an item that was handed over is not answered yet.
  bool HasHandles(session::Peer& peer) { return handles_.Of(peer).open_handles() > 0; }
  bool Owes(session::Peer& peer) { return handles_.Owes(peer); }

  // Everything that the peer makes this shard hold.
  StreamUse UseOf(const session::Peer& peer) const { return Handles::UseOf(peer); }

  // Each answers through `peer`, at once or from a later DrainMailbox() or Step(). REQUIRES: the item may be handed
  // over. Tokens is false, and does nothing, if a Close of the handle is under way or the session waits for the store.
  void Open(session::Peer& peer, session::Handle handle, session::OpenRequest request);
  bool Tokens(session::Peer& peer, const session::TokensView& tokens);
  void Close(session::Peer& peer, session::Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq);

  // The stream is gone: its sessions stay without a stream, and waiting tokens are dropped. `peer` is never called
  // again.
  void Disconnect(session::Peer& peer);

  // The peer takes forecasts again (Peer::HasRoom).
  void Resume(session::Peer& peer) { steps_.queue().turns().Resume(handles_.Of(peer)); }

  // Handles messages from other threads, `at_most` of them or for about so long. True if there were any.
  bool DrainMailbox(size_t at_most = std::numeric_limits<size_t>::max());
  bool DrainMailboxFor(absl::Duration at_most);

  // Steps a slice of the waiting tokens; with a device, as far as the device has come. Returns the number of answered
  // tokens, or of sessions that got other answers. As long as the number is not zero more may wait, and while a step is
  // under way results may come: do not sleep.
  size_t Step();
  bool StepUnderWay() const { return steps_.under_way(); }

  // Starts the saves that are due and expires sessions. Call it every few milliseconds.
  void Tick();

  // True while a step is under way, or the registrar works on a request of this shard.
  bool Busy() const;

  // True if tokens wait to be stepped, be it because their client does not read.
  bool TokensWait() const;

  // Starts to save the sessions that are unsaved now, beside the tokens that still come.
  void SaveEarly() { saves_.SaveEarly(); }

  // Saves every session with unsaved tokens, and from now on tokens as soon as they are stepped. Busy() until the store
  // has all of them (keep calling DrainMailbox() and Tick()). For shutdown.
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
