#ifndef AAREN_MODEL_TRAINING_HISTORY_H_
#define AAREN_MODEL_TRAINING_HISTORY_H_

// A History is what a training run tells of itself over its steps: the curves of its report. Nothing of the run depends
// on it. It is part of the checkpoint, so the curves of a run that was killed are whole.
//
// Size: steps are pooled into at most 400 stretches, whatever the length of the run.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/training/checkpoint.h"

namespace aaren::training {

// Neighbouring steps, pooled.
struct Stretch {
  double last_step = 0, steps = 0;
  double loss = 0;                 // their sum
  double tokens = 0, seconds = 0;  // computed, and spent on them without checks

  bool operator==(const Stretch&) const = default;
};

// The averaged weights on held-out series.
struct HeldOutCheck {
  double step = 0, loss = 0;

  bool operator==(const HeldOutCheck&) const = default;
};

// The averaged weights on a file that is there for the report alone.
struct QualityCheck {
  double step = 0;
  double mase = 0;      // mean over the file's series
  double relative = 0;  // to seasonal naive's: geometric mean over the series of the ratio

  bool operator==(const QualityCheck&) const = default;
};

class History {
 public:
  // Step number `step`, counted from 1, of `steps` in all.
  void AddStep(int64_t step, int64_t steps, double loss, int64_t tokens, double seconds);
  void AddCheck(const HeldOutCheck& check) { checks_.push_back(check); }
  // Of one group of the held-out series.
  void AddGroup(const std::string& group, const HeldOutCheck& check) { groups_[group].push_back(check); }
  void AddQuality(const std::string& file, const QualityCheck& check) { quality_[file].push_back(check); }

  const std::vector<Stretch>& stretches() const { return stretches_; }
  const std::vector<HeldOutCheck>& checks() const { return checks_; }
  const std::map<std::string, std::vector<HeldOutCheck>>& groups() const { return groups_; }
  const std::map<std::string, std::vector<QualityCheck>>& quality() const { return quality_; }

  // For a checkpoint, and back; what a checkpoint lacks is empty.
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
