#ifndef AAREN_SERVER_OPERATE_TRACE_TRACER_H_
#define AAREN_SERVER_OPERATE_TRACE_TRACER_H_

// A Tracer chooses the messages to trace among a shard's streams, and follows each to its end.
//
//   stream: Samples, Begin ──► the shard's: Hold, Stepped, Release ──► stream: OnAnswered ──► End: spans to the buffer
//
// A traced message has a Mark, a small number that goes with every waiting part of the message: items in the queue,
// tokens that wait for an Open, replies that wait for a save. Each part holds the message, and the stream holds it
// while handling it. Once nobody holds the message, all of it is answered, and its stream tells when gRPC took the
// answer.
//
// Marks come from a fixed pool. While all marks are taken, further messages are not traced, but counted. A server
// without traces has no Tracer, and every mark is 0.
//
// Threading: belongs to one shard; counters() from any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/operate/counters/counter.h"
#include "server/operate/trace/message_spans.h"
#include "server/operate/trace/sampler.h"
#include "server/operate/trace/save_spans.h"
#include "server/operate/trace/span_buffer.h"
#include "server/sessions/session/clock.h"

namespace aaren::trace {

using Mark = uint16_t;  // 0: not traced

struct TracerOptions {
  double share = 0.001;     // share of messages with tokens, from 0 to 1
  size_t most_marks = 256;  // messages traced at once, for one shard
  int shard = 0;            // told as an attribute
  uint64_t seed = 0;        // for sampling and ids; 0: the machine's randomness
};

struct TracerCounters {
  counters::Counter sampled, skipped;  // messages
};

// The reader of the message, which answers the message.
class Owner {
 public:
  // Nobody holds the message any more: all replies stand in the outbox. The owner calls Tracer::End, now or later.
  virtual void OnAnswered(Mark mark) = 0;

 protected:
  ~Owner() = default;
};

class Tracer {
 public:
  // `buffer` and `clock` outlive the tracer.
  Tracer(const TracerOptions& options, SpanBuffer& buffer, const session::Clock& clock);

  // True if the newly read message is to be traced.
  bool Samples() { return sampler_.Next(); }

  // The mark of a message of `bytes` just read, held once; 0 if all marks are taken.
  Mark Begin(Owner& owner, uint64_t bytes, const std::string& tenant, const std::optional<SpanContext>& link);
  void NoteItem(Mark mark, uint32_t handle);  // an item with tokens
  void EndReading(Mark mark);                 // also releases the mark

  void Hold(Mark mark) { ++At(mark).holds; }
  void Release(Mark mark);

  void NoteTokens(Mark mark, uint64_t tokens) { At(mark).notes.tokens += tokens; }
  void Stepped(Mark mark, const StepNote& step);

  // Part of the message was refused or dropped. Errors are codes and reasons, without any of a client's words.
  void NoteError(Mark mark, absl::string_view error);

  // The reply was taken, or will not be: the spans go to the buffer. REQUIRES: OnAnswered came.
  void End(Mark mark, bool written);

  // The owner goes: its unanswered messages end now.
  void Leave(Owner& owner);

  TraceId IdOf(Mark mark) const { return slots_[mark - 1].notes.context.trace; }

  // Saves of sessions, by their keys.
  void FollowSave(Mark mark, absl::string_view key) { saves_.Follow(key, At(mark).notes.context, clock_.NowNanos()); }
  bool follows_saves() const { return !saves_.empty(); }
  void BeginSave(absl::string_view key) { saves_.Begin(key, clock_.NowNanos()); }
  void EndSave(absl::string_view key, uint64_t seq, const absl::Status& status);

  const TracerCounters& counters() const { return counters_; }

 private:
  struct Slot {
    Owner* owner = nullptr;  // null: the owner has left
    uint32_t holds = 0;
    bool ended = false;  // the spans are sent, though a part is still held
    bool reading = false;
    MessageNotes notes;
  };

  Slot& At(Mark mark) { return slots_[mark - 1]; }
  // A message that only opens and closes sessions makes no spans, unless refused.
  static bool HasSpans(const Slot& slot) { return slot.notes.items > 0 || !slot.notes.error.empty(); }
  int64_t WallOffset() const;
  void Emit(Slot& slot);
  void Free(Mark mark);

  const TracerOptions options_;
  SpanBuffer& buffer_;
  const session::Clock& clock_;
  TracerCounters counters_;
  Sampler sampler_;
  std::vector<Slot> slots_;  // for marks 1, 2, ...; as many as were needed at once
  std::vector<Mark> free_;
  SaveSpans saves_;
};

// Holds a message during its own life.
class Held {
 public:
  Held() = default;
  Held(Tracer& tracer, Mark mark) : tracer_(&tracer), mark_(mark) { tracer.Hold(mark); }
  ~Held() {
    if (mark_ != 0) tracer_->Release(mark_);
  }
  Held(Held&& other) noexcept : tracer_(other.tracer_), mark_(std::exchange(other.mark_, 0)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(tracer_, other.tracer_);
    std::swap(mark_, other.mark_);
    return *this;
  }

 private:
  Tracer* tracer_ = nullptr;
  Mark mark_ = 0;
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_TRACER_H_
