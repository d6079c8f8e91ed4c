#ifndef AAREN_SERVER_QUEUE_FLOW_H_
#define AAREN_SERVER_QUEUE_FLOW_H_

// A Flow is what waits of one session: tokens to be stepped, and answers that must not overtake them. It exists only
// while something waits, so a resting session costs nothing here. It exists only while a stream has the session open:
// whoever takes the session away drops what its flow held, as if it had not arrived yet.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "server/queue/item_queue.h"
#include "server/queue/line.h"
#include "server/session/peer.h"
#include "server/store/token_clock.h"
#include "server/trace/tracer.h"

namespace aaren::session {
struct Session;
}  // namespace aaren::session

namespace aaren::queue {

struct Attachment;

// One thing that waits. There may be many, so it is small: a token of one channel lies in it whole.
struct WaitingItem {
  enum class Kind : uint8_t {
    kTokens,
    kAck,      // tokens that came twice are acknowledged
    kRefusal,  // tokens are refused
    kClose     // the stream lets go of the session; the last item of its flow
  };
  Kind kind = Kind::kTokens;
  bool silent : 1 = false;
  bool timed : 1 = false;           // its tokens have times
  bool delete_session : 1 = false;  // of kClose
  trace::Mark trace = 0;            // of its message, which it holds
  uint32_t tokens = 0;              // in it
  int64_t arrival_ns = 0;           // of the shard's clock, read once per drain

  size_t bytes(size_t floats) const;  // of memory, about, if a token has so many

  // The numbers of its tokens: their times, if they have any, and then what the engine takes, which the caller writes
  // to where this returns: so many floats in all.
  float* SetNumbers(absl::Span<const int64_t> times, size_t floats);
  const int64_t* times() const { return reinterpret_cast<const int64_t*>(numbers()); }  // [tokens]
  const float* inputs() const {  // [tokens, channels, Conversion::inputs()]
    return reinterpret_cast<const float*>(numbers() + (timed ? tokens * sizeof(int64_t) : 0));
  }

  const std::byte* numbers() const { return many ? many.get() : few; }
  std::unique_ptr<std::byte[]> many;
  alignas(int64_t) std::byte few[16];
};

// What is answered to the tokens of one step of a session, until a save covers it: one reply for all of them.
struct HeldReply {
  uint64_t first_seq = 0;
  uint64_t next_seq = 0;
  int64_t arrival_ns = 0;  // of its last token
  int64_t stepped_ns = 0;
  size_t results = 0;
  // As in ForecastsReply, the forecasts one after another.
  std::vector<float> forecasts, surprises;
  std::vector<int64_t> times_ns, steps_ns;
  std::vector<trace::Held> traces;  // the messages of the tokens, if they are traced

  size_t bytes() const {
    return sizeof(*this) + (forecasts.size() + surprises.size()) * sizeof(float) +
           (times_ns.size() + steps_ns.size()) * sizeof(int64_t);
  }
};

struct Flow {
  static constexpr size_t kBytes = 256;  // of memory, about, without its items

  session::Session* session = nullptr;
  ItemQueue<WaitingItem> items;
  uint32_t taken = 0;                    // tokens of the first item that are stepped already
  uint32_t tokens = 0;                   // in all of them, without those
  store::TokenClock clock;               // after the last of them
  ItemQueue<session::Refusal> refusals;  // of the items that are such, in order
  int64_t deficit = 0;                   // what it may still use of its turn, in units of work

  // What the step under way takes: so many tokens and other items from the front.
  uint32_t granted = 0;
  uint32_t granted_items = 0;  // that are not tokens
  uint32_t reached_token = 0;  // where granting goes on, …
  size_t reached_item = 0;     // … in this item
  bool in_step = false;

  std::unique_ptr<HeldReply> reply;  // null: none is held
  size_t promised = 0;               // bytes of the reply to come of the step under way, if that is to be held
  bool stalled = false;              // its turn came while its stream might hold no more replies
  size_t aside = 0;                  // bytes of it that do not count: TokenQueue::SetAside

  bool in_line = false;  // of its stream's flows that have turns; not while all of it is granted
  Flow* previous = nullptr;
  Flow* next = nullptr;
};

// The flows of one stream that are stalled, in order. They are in no other line.
struct StalledFlows {
  Line<Flow> flows;
  StalledFlows* previous = nullptr;  // those of other streams
  StalledFlows* next = nullptr;
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_QUEUE_FLOW_H_
