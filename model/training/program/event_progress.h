#ifndef AAREN_MODEL_TRAINING_PROGRAM_EVENT_PROGRESS_H_
#define AAREN_MODEL_TRAINING_PROGRAM_EVENT_PROGRESS_H_

// Shows a training run of the forecaster of events on standard error: on a terminal as a single redrawn line, and
// otherwise as a line at every checkpoint.

#include "model/training/events/event_trainer.h"

namespace aaren::training {

class EventProgress {
 public:
  explicit EventProgress(bool terminal) : terminal_(terminal) {}
  ~EventProgress();

  void Show(const EventTrainProgress& now);

 private:
  const bool terminal_;
  double shown_at_ = 0;  // seconds of the run
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_EVENT_PROGRESS_H_
