#ifndef AAREN_SERVER_SESSIONS_QUEUE_WAITING_ITEM_H_
#define AAREN_SERVER_SESSIONS_QUEUE_WAITING_ITEM_H_

// A WaitingItem is a part of a session's flow: tokens to be stepped, or an answer that must not overtake tokens. A
// HeldReply is the answer to one step of a session with EVERY_TOKEN, held back until a save covers the step.
//
// Threading: plain values of one shard.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "server/operate/trace/tracer.h"

namespace aaren::queue {

// Many items may wait, so an item is small: a value of one channel or an event lies inside, without a block of its own.
struct WaitingItem {
  enum class Kind : uint8_t {
    kTokens,
    kAck,      // an acknowledgement of tokens that came twice
    kRefusal,  // the tokens are refused
    kClose     // the stream lets go of the session; the last item of a flow
  };
  Kind kind = Kind::kTokens;
  bool silent : 1 = false;
  bool timed : 1 = false;           // the tokens have times
  bool delete_session : 1 = false;  // for kClose
  trace::Mark trace = 0;            // the message's, held by the item
  uint32_t tokens = 0;
  int64_t arrival_ns = 0;  // by the shard's clock, read once for all items of a round

  // The memory of the item, about, for tokens of so many numbers each.
  size_t bytes(size_t floats) const;

  // Copies the times and makes room for `floats` numbers of the engine behind the times. The caller writes the numbers
  // to the returned place.
  float* SetNumbers(absl::Span<const int64_t> times, size_t floats);
  const int64_t* times() const { return reinterpret_cast<const int64_t*>(numbers()); }  // [tokens]
  const float* inputs() const {  // [tokens, channels, Session::inputs()]
    return reinterpret_cast<const float*>(numbers() + (timed ? tokens * sizeof(int64_t) : 0));
  }

  const std::byte* numbers() const { return many ? many.get() : few; }
  std::unique_ptr<std::byte[]> many;
  alignas(int64_t) std::byte few[24];
};

// One reply for all tokens of a session's step.
struct HeldReply {
  uint64_t first_seq = 0;
  uint64_t next_seq = 0;
  int64_t arrival_ns = 0;  // the last token's
  int64_t stepped_ns = 0;
  size_t results = 0;
  // The numbers of a ForecastsReply, with the forecasts side by side.
  std::vector<float> forecasts, surprises;
  std::vector<int64_t> times_ns, steps_ns;
  std::vector<trace::Held> traces;  // messages of the tokens, if traced

  size_t bytes() const {
    return sizeof(*this) + (forecasts.size() + surprises.size()) * sizeof(float) +
           (times_ns.size() + steps_ns.size()) * sizeof(int64_t);
  }
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_WAITING_ITEM_H_
