#ifndef AAREN_SERVER_SESSION_FLOW_H_
#define AAREN_SERVER_SESSION_FLOW_H_

// A Flow is what waits of one session: tokens to be stepped, and answers that must not overtake them. It exists only
// while something waits, so a resting session costs nothing here, and only while a stream has the session open: whoever
// takes the session away drops what its flow held, as if it had not arrived yet.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "server/session/item_queue.h"
#include "server/session/peer.h"
#include "server/session/token_clock.h"

namespace aaren {

struct Session;
struct Attachment;

// One thing that waits.
struct WaitingItem {
  enum class Kind : uint8_t {
    kTokens,
    kAck,      // tokens that came twice are acknowledged
    kRefusal,  // tokens are refused
    kClose     // the stream lets go of the session; the last item of its flow
  };
  Kind kind = Kind::kTokens;
  bool silent = false;
  bool delete_session = false;               // of kClose
  uint32_t tokens = 0;                       // in it
  uint32_t taken = 0;                        // of them, stepped already
  int64_t arrival_ns = 0;                    // of the shard's clock, read once per drain
  absl::InlinedVector<float, 4> values;      // [tokens, channels]
  absl::InlinedVector<int64_t, 1> times_ns;  // [tokens], or none
  std::unique_ptr<Refusal> refusal;
  uint32_t left() const { return tokens - taken; }
  size_t counted = 0;  // bytes of memory, about, as the queue has counted them
};

struct Flow {
  Session* session = nullptr;
  ItemQueue<WaitingItem> items;
  uint32_t tokens = 0;  // in all of them
  TokenClock clock;     // after the last of them
  int64_t deficit = 0;  // what it may still use of its turn, in units of work

  // What the step under way takes: so many tokens from the front, and the items that are not tokens before the next.
  uint32_t granted = 0;
  size_t reached_item = 0;     // where granting goes on
  uint32_t reached_token = 0;  // … in that item, beyond those that it has taken already
  bool in_step = false;
  bool whole = false;  // … to its last item

  std::list<Flow>::iterator self;
};

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_FLOW_H_
