#ifndef AAREN_MODEL_TRAINING_LOSS_QUALITY_H_
#define AAREN_MODEL_TRAINING_LOSS_QUALITY_H_

// How well a forecaster forecasts, for records and reports; nothing is chosen by it.
//
// A file is streamed series by series, the last 4,096 values before its last fifth and that fifth in one session.
// Forecasts of 24 values (the model's horizon if that is less) are scored there, at every token that folds, two windows
// never overlapping.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/nn/forecaster/forecaster.h"
#include "model/tasks/forecasting/series_csv.h"
#include "model/training/batch.h"

namespace aaren::training {

struct ValidationFile {
  std::string name;  // in the report
  int season = 1;    // of seasonal naive and of MASE
  std::vector<forecasting::CsvSeries> series;
};

// InvalidArgument if none of the series is long enough for a forecast in its last fifth, or the season is below 1.
absl::Status CheckValidationFile(const package::ForecasterConfig& config, const ValidationFile& file);

struct FileQuality {
  double mase = 0;      // mean over the series; NaN if none can be scored
  double relative = 0;  // geometric mean of MASE / seasonal naive's
};

FileQuality Score(nn::Forecaster& forecaster, const ValidationFile& file);

// On held-out crops.
struct HeldOutQuality {
  double coverage80 = 0;  // share of values between the outermost quantiles 0.1 and 0.9; NaN without those levels
  double relative =
      0;  // mean |value - median| / mean |value - last value|, in deviations of the token's scale, at most 12
};

HeldOutQuality Score(nn::Forecaster& forecaster, const Batch& held_out);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_LOSS_QUALITY_H_
