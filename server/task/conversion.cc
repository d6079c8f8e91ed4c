#include "server/task/conversion.h"

#include "server/task/forecasting.h"

namespace aaren::task {

// A package of another kind is refused when it is read (model/package/manifest.cc).
std::unique_ptr<const Conversion> NewConversion(const package::ModelPackage& package) {
  return std::make_unique<ForecastingConversion>(package.config);
}

}  // namespace aaren::task
