#ifndef AAREN_SERVER_SHARD_ATTACHMENT_H_
#define AAREN_SERVER_SHARD_ATTACHMENT_H_

// An Attachment is what a shard knows of one stream: which sessions its handles stand for, and what it makes the shard
// hold. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "server/session/peer.h"
#include "server/shard/flow.h"
#include "server/shard/handle_table.h"
#include "server/shard/line.h"

namespace aaren::shard {

struct Attachment {
  explicit Attachment(session::Peer& p) : peer(p) {}

  size_t open_handles() const { return handles.size() - refused; }

  session::Peer& peer;
  HandleTable handles;
  size_t refused = 0;         // handles whose items are dropped, since their Open was refused or their session taken
  size_t openings = 0;        // Opens under way
  size_t closings = 0;        // Closes that delete, under way
  size_t promotions = 0;      // under way
  size_t deferred_bytes = 0;  // tokens behind them
  size_t queued_bytes = 0;    // of its flows
  size_t aside_bytes = 0;     // of those that are set aside
  size_t held_bytes = 0;      // of replies that wait for saves, and those that a step under way will make
  StalledFlows stalled;       // that wait for less of them

  // The streams take turns, and of a stream its sessions do: see TokenQueue.
  enum class Turn : uint8_t { kNone, kNew, kOld };
  Turn turn = Turn::kNone;
  int64_t deficit = 0;             // what it may still use of its turn, in units of work
  Line<Flow> flows;                // in order of their turns
  Attachment* previous = nullptr;  // in the line that `turn` names
  Attachment* next = nullptr;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_ATTACHMENT_H_
