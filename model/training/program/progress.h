#ifndef AAREN_MODEL_TRAINING_PROGRAM_PROGRESS_H_
#define AAREN_MODEL_TRAINING_PROGRAM_PROGRESS_H_

// Shows a training run on standard error: on a terminal as a single redrawn line, and otherwise as a line at every
// check.

#include "model/training/trainer.h"

namespace aaren::training {

class Progress {
 public:
  explicit Progress(bool terminal) : terminal_(terminal) {}
  ~Progress();

  void Show(const TrainProgress& progress);

 private:
  const bool terminal_;
  bool drawn_ = false;
  double shown_at_ = -1;  // seconds of the run
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_PROGRESS_H_
