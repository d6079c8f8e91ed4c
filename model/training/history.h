#ifndef AAREN_MODEL_TRAINING_HISTORY_H_
#define AAREN_MODEL_TRAINING_HISTORY_H_

// A History is a training run's record of its steps: the curves of the report. No part of the run depends on the
// history. The checkpoint includes the history, so the curves of a run that was killed are complete.
//
// Size: steps are pooled into at most 400 stretches for any length of the run.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/training/checkpoint.h"

namespace aaren::training {

// Some consecutive steps, pooled.
struct Stretch {
  double last_step = 0, steps = 0;
  double loss = 0;                 // sum over the steps
  double tokens = 0, seconds = 0;  // tokens computed, and their time without checks

  bool operator==(const Stretch&) const = default;
};

// A check of the averaged weights on held-out series.
struct HeldOutCheck {
  double step = 0, loss = 0;

  bool operator==(const HeldOutCheck&) const = default;
};

// A check of the averaged weights on a file that serves the report only.
struct QualityCheck {
  double step = 0;
  double mase = 0;      // mean over the file's series
  double relative = 0;  // MASE over seasonal naive's: geometric mean over the series

  bool operator==(const QualityCheck&) const = default;
};

class History {
 public:
  // Adds step number `step`, counted from 1, of `steps` steps in all.
  void AddStep(int64_t step, int64_t steps, double loss, int64_t tokens, double seconds);
  void AddCheck(const HeldOutCheck& check) { checks_.push_back(check); }
  // Adds a check of one group of the held-out series.
  void AddGroup(const std::string& group, const HeldOutCheck& check) { groups_[group].push_back(check); }
  void AddQuality(const std::string& file, const QualityCheck& check) { quality_[file].push_back(check); }

  const std::vector<Stretch>& stretches() const { return stretches_; }
  const std::vector<HeldOutCheck>& checks() const { return checks_; }
  const std::map<std::string, std::vector<HeldOutCheck>>& groups() const { return groups_; }
  const std::map<std::string, std::vector<QualityCheck>>& quality() const { return quality_; }

  // Converts to tensors for a checkpoint, and back. A curve missing from the checkpoint is empty.
  TensorMap ToTensors() const;
  static History FromTensors(const TensorMap& tensors);

 private:
  std::vector<Stretch> stretches_;
  std::vector<HeldOutCheck> checks_;
  std::map<std::string, std::vector<HeldOutCheck>> groups_;
  std::map<std::string, std::vector<QualityCheck>> quality_;
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_HISTORY_H_
