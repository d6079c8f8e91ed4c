#ifndef AAREN_MODEL_TRAINING_EVENTS_EVENT_SOURCE_H_
#define AAREN_MODEL_TRAINING_EVENTS_EVENT_SOURCE_H_

// The source of training sequences of events: the synthetic generator, or recorded streams. A draw depends on its step
// alone, so a run that resumes at a step sees exactly the data of a run without interruption.
//
// Threading: const functions may run on any thread. No torch.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/tasks/events/event_file.h"
#include "model/training/events/event_batch.h"

namespace aaren::training {

class EventSource {
 public:
  virtual ~EventSource() = default;

  // The batch of training step `step`: `rows` sequences of at most `tokens` tokens.
  virtual EventBatch Draw(int64_t step, int64_t rows, int64_t tokens) const = 0;

  // Sequences first ... first + rows - 1 of events that training never sees, fewer where the source has no more.
  virtual EventBatch DrawHeldOut(int64_t first, int64_t rows, int64_t tokens) const = 0;

  // Everything that draws depend on, for the fingerprint of a run.
  virtual std::string Fingerprint() const = 0;
};

// The endless sequences of the generator; training and held-out sequences are of two seeds.
std::unique_ptr<EventSource> GeneratedEvents(uint64_t seed);

struct RecordedOptions {
  std::string name;  // names the streams in fingerprints
  uint64_t seed = 1;
  double rounding = 0;   // seconds to which times are rounded; 0: not
  bool calendar = true;  // streams that begin with a date (engine/events/memory.h) have a calendar
};

// The first events of a stream of this many events that training may see, and the number of events before those that
// are held back for the comparison. The events between the two end the training.
struct EventSplit {
  size_t trained = 0, known = 0;
};
EventSplit SplitEvents(size_t events);

// Crops of these streams, each a session from the crop's first event. Training sees a stream's first `trained` events.
// Held-out crops are scored at events trained ... known - 1, of at most 400 streams, spread over all. REQUIRES: a
// stream has ten events or more.
std::unique_ptr<EventSource> RecordedEvents(absl::Span<const events::EventStream> streams,
                                            const RecordedOptions& options);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_EVENTS_EVENT_SOURCE_H_
