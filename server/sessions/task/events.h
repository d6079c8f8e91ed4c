#ifndef AAREN_SERVER_SESSIONS_TASK_EVENTS_H_
#define AAREN_SERVER_SESSIONS_TASK_EVENTS_H_

// The Conversion of events: a token is a time and a mark (model/engine/events/event_token.h), and a result is the
// forecast of the next event. Quantiles are seconds from the token to the next event.

#include <optional>
#include <vector>

#include "model/engine/events/quantiles.h"
#include "server/sessions/task/conversion.h"

namespace aaren::task {

class EventConversion : public Conversion {
 public:
  static constexpr uint32_t kNewMark = events::kUnknownMark;
  static constexpr size_t kMostQuantiles = 99, kMostSpans = 64, kMostMarks = 64;

  EventConversion();

  Schema schema() const override;
  Resolved Resolve(const OutputRequest& request) const override;
  std::optional<BadField> CheckSession(uint32_t channels, bool regular_times) const override;
  std::optional<BadField> CheckNumbers(const TokenNumbers& numbers, uint32_t channels,
                                       const OutputPlan& plan) const override;
  void CopyInputs(const TokenNumbers& numbers, uint32_t channels, const OutputPlan& plan, float* out) const override;
  std::vector<float> SampleInputs(size_t tokens) const override;
  size_t PlannedFloats(const OutputPlan& plan) const override;
  float* CopyPlanned(const float* result, const OutputPlan& plan, float* out) const override;
  void AppendEvents(const float* result, const OutputPlan& plan, EventNumbers& out) const override;
  std::optional<double> SecondsUntilOverdue(const float* result, const OutputPlan& plan) const override;
  engine::ResultTail TailOf(const float* result) const override;
  float InputValue(const float* inputs) const override;
  Expected NextValue(const float* result) const override;

 private:
  const std::vector<float> levels_;  // the quantiles sent by default
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_EVENTS_H_
