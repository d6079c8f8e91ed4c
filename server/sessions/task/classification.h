#ifndef AAREN_SERVER_SESSIONS_TASK_CLASSIFICATION_H_
#define AAREN_SERVER_SESSIONS_TASK_CLASSIFICATION_H_

// The Conversion of a classifier: a token is a value for each of the model's channels, and a result is the
// probabilities of the classes (model/engine/classification/classification_task.h). All channels together are one
// series with one row.

#include <optional>
#include <string>
#include <vector>

#include "model/package/classifier_config.h"
#include "server/sessions/task/conversion.h"

namespace aaren::task {

class ClassificationConversion : public Conversion {
 public:
  explicit ClassificationConversion(const package::ClassifierConfig& config);

  uint32_t values_per_series() const override { return channels_; }
  uint32_t series(uint32_t) const override { return 1; }
  Schema schema() const override {
    return {.targets = classes_, .horizon = 1, .quantiles = kNoLevels, .channels = channels_};
  }
  Resolved Resolve(const OutputRequest& request) const override;
  std::optional<BadField> CheckSession(uint32_t channels, bool regular_times) const override;
  std::optional<BadField> CheckNumbers(const TokenNumbers& numbers, uint32_t channels,
                                       const OutputPlan& plan) const override;
  void CopyInputs(const TokenNumbers& numbers, uint32_t channels, const OutputPlan& plan, float* out) const override;
  std::vector<float> SampleInputs(size_t tokens) const override;
  size_t PlannedFloats(const OutputPlan&) const override { return classes_.size(); }
  float* CopyPlanned(const float* result, const OutputPlan& plan, float* out) const override;
  engine::ResultTail TailOf(const float*) const override { return {}; }
  // Watchers see the first channel. A class has no expectation.
  float InputValue(const float* inputs) const override { return static_cast<float>(engine::DoubleAt(inputs)); }
  Expected NextValue(const float*) const override { return {}; }

 private:
  // A classifier has no quantiles, but clients refuse a model without any level.
  static constexpr float kNoLevels[] = {0.5f};

  const uint32_t channels_;
  const std::vector<std::string> classes_;
  const std::vector<double> means_;
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_CLASSIFICATION_H_
