#ifndef AAREN_SERVER_SESSIONS_TASK_FORECASTING_H_
#define AAREN_SERVER_SESSIONS_TASK_FORECASTING_H_

// Forecasting's Conversion: a token is a value, a double in the place of two floats, and a result is quantiles of the
// next values, [horizon, quantiles], with a tail (model/engine/forecast_result.h).

#include <optional>

#include "model/package/config.h"
#include "server/sessions/task/conversion.h"

namespace aaren::task {

class ForecastingConversion : public Conversion {
 public:
  explicit ForecastingConversion(package::ForecasterConfig config, const RowForm& rows = {})
      : Conversion(/*inputs=*/2 + rows.extension.covariates()), config_(std::move(config)), rows_(rows) {}

  Schema schema() const override;
  Resolved Resolve(const OutputRequest& request) const override;
  bool extended() const override { return rows_.extended; }
  bool NeedsExtended(const OutputRequest& request) const override;
  std::optional<BadField> CheckNumbers(const TokenNumbers& numbers, uint32_t channels,
                                       const OutputPlan& plan) const override;
  void CopyInputs(const TokenNumbers& numbers, uint32_t channels, const OutputPlan& plan, float* out) const override;
  std::vector<float> SampleInputs(size_t tokens) const override;
  size_t PlannedFloats(const OutputPlan& plan) const override;
  float* CopyPlanned(const float* result, const OutputPlan& plan, float* out) const override;
  engine::ResultTail TailOf(const float* result) const override;
  float InputValue(const float* inputs) const override;
  Expected NextValue(const float* result) const override;

 private:
  std::optional<BadField> ResolveHorizons(const OutputRequest& request, std::vector<uint32_t>& rows) const;
  std::optional<BadField> ResolveQuantiles(const OutputRequest& request, std::vector<uint32_t>& columns) const;
  std::optional<BadField> CheckCovariates(const TokenNumbers& numbers, uint64_t tokens, const OutputPlan& plan) const;
  std::optional<BadField> Select(const OutputRequest& request, OutputPlan& plan) const;
  uint32_t horizon() const { return static_cast<uint32_t>(config_.horizon); }

  const package::ForecasterConfig config_;
  const RowForm rows_;
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_FORECASTING_H_
