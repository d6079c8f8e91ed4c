#include "server/sessions/task/conversion.h"

#include "server/sessions/task/classification.h"
#include "server/sessions/task/events.h"
#include "server/sessions/task/forecasting.h"

namespace aaren::task {

// The reader of packages refuses further kinds (model/package/manifest.cc).
std::unique_ptr<const Conversion> NewConversion(const package::ModelPackage& package, const RowForm& rows) {
  if (package.kind == package::kEvents) return std::make_unique<EventConversion>();
  if (package.kind == package::kClassification) return std::make_unique<ClassificationConversion>(package.classifier);
  return std::make_unique<ForecastingConversion>(package.config, rows);
}

}  // namespace aaren::task
