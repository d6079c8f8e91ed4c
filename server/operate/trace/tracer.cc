#include "server/operate/trace/tracer.h"

#include <algorithm>

#include "absl/time/time.h"

namespace aaren::trace {

Tracer::Tracer(const TracerOptions& options, SpanBuffer& buffer, const session::Clock& clock)
    : options_(options), buffer_(buffer), clock_(clock), sampler_(options.share, options.seed) {
  // Slots never move: At gives references.
  slots_.reserve(options.most_marks);
}

Mark Tracer::Begin(Owner& owner, uint64_t bytes, const std::string& tenant, const std::optional<SpanContext>& link) {
  if (free_.empty() && slots_.size() == options_.most_marks) {
    counters_.skipped.Add(1);
    return 0;
  }
  if (free_.empty()) {
    slots_.emplace_back();
    free_.push_back(static_cast<Mark>(slots_.size()));
  }
  const Mark mark = free_.back();
  free_.pop_back();
  Slot& slot = At(mark);
  slot.owner = &owner;
  slot.holds = 1;
  slot.reading = true;
  slot.notes.context = {sampler_.NewTrace(), sampler_.NewSpan()};
  slot.notes.link = link;
  slot.notes.tenant = tenant;
  slot.notes.shard = options_.shard;
  slot.notes.bytes = bytes;
  slot.notes.began_ns = clock_.NowNanos();
  return mark;
}

void Tracer::NoteItem(Mark mark, uint32_t handle) {
  MessageNotes& notes = At(mark).notes;
  ++notes.items;
  notes.handles.insert(handle);
}

// Keeps only the number of sessions: a message may have a hundred thousand.
void Tracer::EndReading(Mark mark) {
  Slot& slot = At(mark);
  slot.reading = false;
  slot.notes.sessions = std::exchange(slot.notes.handles, {}).size();
  slot.notes.read_ns = clock_.NowNanos();
  Release(mark);
}

void Tracer::Release(Mark mark) {
  Slot& slot = At(mark);
  if (--slot.holds > 0) return;
  // The spans were sent when the owner left, or there are none to send.
  if (slot.ended || !HasSpans(slot)) return Free(mark);
  slot.notes.ready_ns = clock_.NowNanos();
  slot.owner->OnAnswered(mark);
}

void Tracer::Stepped(Mark mark, const StepNote& step) {
  MessageNotes& notes = At(mark).notes;
  StepNote* last = notes.steps.empty() ? nullptr : &notes.steps.back();
  if (last != nullptr && last->began_ns == step.began_ns && last->model == step.model) {
    last->tokens += step.tokens;  // from another item, or another session
    return;
  }
  ++notes.step_count;
  if (notes.steps.size() < MessageNotes::kMostSteps) notes.steps.push_back(step);
}

void Tracer::NoteError(Mark mark, absl::string_view error) {
  if (At(mark).notes.error.empty()) At(mark).notes.error = std::string(error);
}

void Tracer::End(Mark mark, bool written) {
  Slot& slot = At(mark);
  if (written) slot.notes.written_ns = clock_.NowNanos();
  Emit(slot);
  Free(mark);
}

void Tracer::Leave(Owner& owner) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.owner != &owner) continue;
    slot.notes.ready_ns = clock_.NowNanos();
    if (HasSpans(slot)) {
      NoteError(static_cast<Mark>(i + 1), "the stream ended before its answer was taken");
      Emit(slot);
    }
    slot.owner = nullptr;
    // Parts of the message may still hold the mark: the slot is free once the last part releases the mark.
    slot.ended = true;
    // The owner that was reading will not call EndReading any more.
    if (slot.reading) --slot.holds;
    if (slot.holds == 0) Free(static_cast<Mark>(i + 1));
  }
}

// From the shard's clock, which never steps, to the wall clock of people and collectors.
int64_t Tracer::WallOffset() const { return absl::ToInt64Nanoseconds(clock_.Wall() - clock_.Now()); }

void Tracer::Emit(Slot& slot) {
  counters_.sampled.Add(1);
  buffer_.Add(ToSpans(slot.notes, WallOffset(), sampler_));
}

void Tracer::Free(Mark mark) {
  At(mark) = Slot();
  free_.push_back(mark);
}

void Tracer::EndSave(absl::string_view key, uint64_t seq, const absl::Status& status) {
  std::optional<Span> span = saves_.End(key, seq, status, clock_.NowNanos(), sampler_);
  if (!span) return;
  const int64_t wall_ns = WallOffset();
  span->begin_ns += wall_ns;
  span->end_ns += wall_ns;
  std::vector<Span> spans;
  spans.push_back(*std::move(span));
  buffer_.Add(std::move(spans));
}

}  // namespace aaren::trace
