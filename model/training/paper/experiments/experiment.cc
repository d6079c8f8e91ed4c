#include "model/training/paper/experiments/experiment.h"

#include <torch/torch.h>

#include <cmath>
#include <exception>

#include "absl/strings/str_cat.h"
#include "model/training/products.h"

namespace aaren::training {
namespace {

absl::StatusOr<PaperResult> Run(const PaperCell& cell, const PaperSettings& settings, const EpochReport& report) {
  if (cell.task == "classification") return RunClassification(cell, settings, report);
  if (cell.task == "forecasting") return RunForecasting(cell, settings, report);
  if (cell.task == "events") return RunEvents(cell, settings, report);
  return absl::InvalidArgumentError(absl::StrCat("the task ", cell.task, " is unknown"));
}

absl::Status RequireFinite(const PaperResult& result) {
  bool finite = true;
  for (const auto& [name, score] : result.scores) finite = finite && std::isfinite(score);
  for (const auto& [name, curve] : result.curves) {
    for (const double value : curve) finite = finite && std::isfinite(value);
  }
  return finite ? absl::OkStatus() : absl::InternalError("a loss or score is not finite");
}

}  // namespace

absl::StatusOr<PaperResult> RunPaperCell(const PaperCell& cell, const PaperSettings& settings, int threads,
                                         const EpochReport& report) {
  try {
    at::globalContext().setDeterministicAlgorithms(true, false);
    at::globalContext().setDeterministicFillUninitializedMemory(false);  // no memory is read before written
    torch::set_num_threads(threads);
    torch::manual_seed(cell.seed);
    if (settings.bfloat16_products && !UseBFloat16Products()) {
      return absl::FailedPreconditionError("this CPU has no instructions for --products=bfloat16");
    }
    absl::StatusOr<PaperResult> result = Run(cell, settings, report);
    if (!result.ok()) return result.status();
    if (absl::Status status = RequireFinite(*result); !status.ok()) return status;
    for (const std::string& deviation : settings.Deviations()) result->deviations.push_back(deviation);
    return result;
  } catch (const c10::Error& e) {  // torch's own errors end here, without the stack of what()
    return absl::InternalError(e.what_without_backtrace());
  } catch (const std::exception& e) {
    return absl::InternalError(e.what());
  }
}

}  // namespace aaren::training
