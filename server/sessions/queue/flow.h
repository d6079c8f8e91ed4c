#ifndef AAREN_SERVER_SESSIONS_QUEUE_FLOW_H_
#define AAREN_SERVER_SESSIONS_QUEUE_FLOW_H_

// A Flow is the waiting part of a session: tokens to be stepped, and answers bound to stay behind tokens. A flow exists
// only while something waits, so a resting session costs nothing here, and only while a stream has the session open:
// taking the session away drops the flow, as if the items had not arrived yet.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "server/sessions/queue/item_queue.h"
#include "server/sessions/queue/line.h"
#include "server/sessions/queue/waiting_item.h"
#include "server/sessions/session/peer.h"
#include "server/store/token_clock.h"

namespace aaren::session {
struct Session;
}  // namespace aaren::session

namespace aaren::queue {

// The part taken from the front of a flow by the step under way.
struct StepGrant {
  uint32_t tokens = 0;
  uint32_t items = 0;          // without tokens
  uint32_t reached_token = 0;  // granting goes on at the token
  size_t reached_item = 0;     // and item reached
  bool in_step = false;
};

struct Flow {
  static constexpr size_t kBytes = 256;  // memory of a flow, about, without the items

  session::Session* session = nullptr;
  ItemQueue<WaitingItem> items;
  uint32_t taken = 0;                    // tokens of the first item stepped already
  uint32_t tokens = 0;                   // waiting tokens of all items
  store::TokenClock clock;               // after the last token
  ItemQueue<session::Refusal> refusals;  // for the items of kind kRefusal, in order
  int64_t deficit = 0;                   // units of work left of the session's turn
  StepGrant grant;

  std::unique_ptr<HeldReply> reply;  // null: no reply is held
  size_t promised = 0;               // bytes of the reply to be held by the step under way
  bool stalled = false;              // the turn came while the stream might hold no more replies
  size_t aside = 0;                  // bytes set aside: not counted by QueueRoom

  bool in_line = false;  // among the stream's flows with turns; not while all of the flow is granted
  Flow* previous = nullptr;
  Flow* next = nullptr;
};

// The stalled flows of a stream, in order. A stalled flow is in no further line.
struct StalledFlows {
  Line<Flow> flows;
  StalledFlows* previous = nullptr;  // another stream's
  StalledFlows* next = nullptr;
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_FLOW_H_
