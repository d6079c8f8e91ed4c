#include "server/sessions/models/warm_up.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "model/engine/forecast_result.h"
#include "model/engine/lane.h"

namespace aaren::models {
namespace {

constexpr size_t kTokens = 64;  // enough for a token that folds, a probe, and neither

}  // namespace

absl::Status WarmUp(const engine::Engine& engine) {
  const std::unique_ptr<engine::Lane> lane = engine.NewLane(1);
  engine::Slot slot;
  if (absl::Status status = lane->Allocate({&slot, 1}); !status.ok()) return status;
  if (absl::Status status = lane->Reset({&slot, 1}); !status.ok()) return status;
  std::vector<float> values(kTokens);
  for (size_t i = 0; i < kTokens; ++i) values[i] = 10 + std::sin(0.5f * static_cast<float>(i));
  const std::vector<uint8_t> wanted(kTokens, 1);
  std::vector<float> forecasts(kTokens * engine.result_floats());
  engine::Run run;
  run.slot = slot;
  run.values = values;
  run.forecast = wanted;
  run.forecasts = forecasts.data();
  const absl::StatusOr<engine::Ticket> ticket = lane->Submit({&run, 1});
  if (!ticket.ok()) return ticket.status();
  if (absl::Status status = lane->Wait(*ticket); !status.ok()) return status;
  const size_t quantiles = engine.result_floats() - engine::ResultTail::kFloats;
  bool finite = true;
  for (auto result = forecasts.begin(); result != forecasts.end();
       result += static_cast<ptrdiff_t>(engine.result_floats())) {
    const auto end = result + static_cast<ptrdiff_t>(quantiles);
    finite &= std::all_of(result, end, [](float value) { return std::isfinite(value); });
  }
  return finite ? absl::OkStatus() : absl::InternalError("its forecasts of a sine are not finite");
}

}  // namespace aaren::models
