#include "server/rpc/messages/forecasting.h"

#include <algorithm>
#include <vector>

#include "server/models/model_table.h"

namespace aaren::rpc {
namespace {

template <typename Repeated>
auto ToVector(const Repeated& field) {
  return std::vector<typename Repeated::value_type>(field.begin(), field.end());
}

engine::Refinement ToRefinement(const v1::OutputOptions& output) {
  if (output.unmixed()) return engine::Refinement::kNetwork;
  if (output.uncalibrated()) return engine::Refinement::kMixed;
  return output.unrestricted() ? engine::Refinement::kCalibrated : engine::Refinement::kRestricted;
}

// Copies what the plan asks for from `forecast`, [horizon, quantiles], to `out`. Returns the end of what it wrote.
float* CopyPlanned(const float* forecast, size_t horizon, size_t quantiles, const session::OutputPlan& plan,
                   float* out) {
  const size_t rows = plan.horizons.empty() ? horizon : plan.horizons.size();
  for (size_t i = 0; i < rows; ++i) {
    const float* row = forecast + (plan.horizons.empty() ? i : plan.horizons[i]) * quantiles;
    if (plan.quantiles.empty()) {
      out = std::copy_n(row, quantiles, out);
    } else {
      for (uint32_t q : plan.quantiles) *out++ = row[q];
    }
  }
  return out;
}

}  // namespace

session::OutputRequest ToOutputRequest(const v1::OutputOptions& output) {
  return {.horizons = ToVector(output.horizons()),
          .quantiles = ToVector(output.quantiles()),
          .every = std::max(output.every(), 1u),
          .surprise = output.surprise(),
          .refinement = ToRefinement(output)};
}

size_t ResultWidth(const session::ForecastsReply& reply) {
  const package::ForecasterConfig& config = reply.model->engine->config();
  const size_t horizons = reply.plan->horizons.empty() ? config.horizon : reply.plan->horizons.size();
  const size_t quantiles = reply.plan->quantiles.empty() ? config.quantiles.size() : reply.plan->quantiles.size();
  return horizons * quantiles;
}

void FillValues(const session::ForecastsReply& reply, size_t begin, size_t end,
                google::protobuf::RepeatedField<float>& values) {
  const package::ForecasterConfig& config = reply.model->engine->config();
  const auto horizon = static_cast<size_t>(config.horizon);
  const size_t quantiles = config.quantiles.size();
  const size_t size = (end - begin) * reply.channels * ResultWidth(reply);
  // Sized once and written in place: a forecast is hundreds of floats, and most of the bytes that leave.
  values.Reserve(static_cast<int>(size));
  float* out = values.AddNAlreadyReserved(static_cast<int>(size));
  const bool whole = reply.plan->horizons.empty() && reply.plan->quantiles.empty();
  for (const float* forecast : reply.forecasts.subspan(begin * reply.channels, (end - begin) * reply.channels)) {
    out = whole ? std::copy_n(forecast, horizon * quantiles, out)
                : CopyPlanned(forecast, horizon, quantiles, *reply.plan, out);
  }
}

void FillColumns(const package::ForecasterConfig& config, v1::ModelInfo& info) {
  info.set_horizon(static_cast<uint32_t>(config.horizon));
  info.mutable_quantiles()->Add(config.quantiles.begin(), config.quantiles.end());
  v1::Column& column = *info.add_columns();
  column.set_name("value");
  column.set_role(v1::Column::TARGET);
}

}  // namespace aaren::rpc
