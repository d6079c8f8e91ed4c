#ifndef AAREN_SERVER_SESSIONS_SHARD_HANDLES_HANDLES_H_
#define AAREN_SERVER_SESSIONS_SHARD_HANDLES_HANDLES_H_

// Handles has the streams of a shard: each stream's Attachment and handles, the Opens and deleting Closes under way,
// and the refused handles. Opens and Closes under way are bounded; streams and tenants share the number as they share
// the queue (server/sessions/queue/queue_room.h).
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/queue/token_queue.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/shard/arrival/arrival.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/handles/bindings.h"
#include "server/sessions/shard/handles/refused_handles.h"

namespace aaren::shard {

class Handles {
 public:
  // The arguments outlive the Handles.
  Handles(Core& core, queue::TokenQueue& queue) : core_(core), queue_(queue) {}

  // The stream's Attachment, made at the first call.
  queue::Attachment& Of(session::Peer& peer);

  // The Attachment of a leaving stream; null: the shard does not know the stream. The caller visits the handles, and
  // afterwards calls Forget.
  std::unique_ptr<queue::Attachment> Take(session::Peer& peer);
  void Forget(queue::Attachment& stream);

  // True if the stream may send another Open or deleting Close.
  bool AdmitsOpen(session::Peer& peer);

  // True if an item of the stream is unanswered.
  bool Owes(session::Peer& peer);

  static StreamUse UseOf(const session::Peer& peer);

  // Answers a Close of a handle without a session: the handle was refused, or is not open.
  void CloseUnused(queue::Attachment& stream, session::Handle handle);

  // An Open is under way from Begin to TakeOpening, and the handle stands for the Open.
  void Begin(uint64_t ticket, std::unique_ptr<Opening> opening);
  Opening& FindOpening(uint64_t ticket) { return *openings_.at(ticket); }
  std::unique_ptr<Opening> TakeOpening(uint64_t ticket);

  // The same for a deleting Close. TakeClosing frees the handle.
  void Begin(uint64_t ticket, std::unique_ptr<Closing> closing);
  std::unique_ptr<Closing> TakeClosing(uint64_t ticket);

  // True while an Open or a deleting Close is under way.
  bool busy() const { return !openings_.empty() || !closings_.empty(); }

  RefusedHandles& refused() { return refused_; }
  size_t streams() const { return streams_.size(); }

 private:
  Core& core_;
  queue::TokenQueue& queue_;
  absl::flat_hash_map<session::Peer*, std::unique_ptr<queue::Attachment>> streams_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Opening>> openings_;  // by ticket
  absl::flat_hash_map<uint64_t, std::unique_ptr<Closing>> closings_;  // by ticket
  RefusedHandles refused_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_HANDLES_HANDLES_H_
