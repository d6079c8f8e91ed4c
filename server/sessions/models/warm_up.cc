#include "server/sessions/models/warm_up.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "model/engine/lane.h"

namespace aaren::models {
namespace {

constexpr size_t kTokens = 64;  // enough for a token that folds, a probe, and neither
constexpr size_t kYoung = 8;    // first tokens, of which a model may know too little for a forecast

}  // namespace

absl::Status WarmUp(const engine::Engine& engine, const task::Conversion& conversion) {
  const std::unique_ptr<engine::Lane> lane = engine.NewLane(1);
  engine::Slot slot;
  if (absl::Status status = lane->Allocate({&slot, 1}); !status.ok()) return status;
  if (absl::Status status = lane->Reset({&slot, 1}); !status.ok()) return status;
  const std::vector<float> inputs = conversion.SampleInputs(kTokens);
  const std::vector<uint8_t> wanted(kTokens, 1);
  std::vector<float> results(kTokens * engine.result_floats());
  engine::Run run;
  run.slot = slot;
  run.values = inputs;
  run.forecast = wanted;
  run.forecasts = results.data();
  const absl::StatusOr<engine::Ticket> ticket = lane->Submit({&run, 1});
  if (!ticket.ok()) return ticket.status();
  if (absl::Status status = lane->Wait(*ticket); !status.ok()) return status;
  const task::OutputPlan plan = conversion.Resolve({}).plan;
  std::vector<float> sent(conversion.PlannedFloats(plan));
  bool finite = true;
  for (size_t i = kYoung; i < kTokens; ++i) {
    conversion.CopyPlanned(&results[i * engine.result_floats()], plan, sent.data());
    finite &= std::all_of(sent.begin(), sent.end(), [](float number) { return std::isfinite(number); });
  }
  return finite ? absl::OkStatus() : absl::InternalError("its forecasts of simple tokens are not finite");
}

}  // namespace aaren::models
