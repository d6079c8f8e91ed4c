#ifndef AAREN_MODEL_TRAINING_LOSS_QUALITY_H_
#define AAREN_MODEL_TRAINING_LOSS_QUALITY_H_

// The quality of a forecaster, for records and reports. Training chooses nothing by quality.
//
// A file is streamed series by series. A session has a series' last fifth and the 4,096 values before. In the last
// fifth, forecasts of 24 values (or of the model's horizon, if shorter) are scored. Forecasts start at tokens that
// fold, and no two windows overlap.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/nn/forecaster/forecaster.h"
#include "model/tasks/forecasting/series_csv.h"
#include "model/training/batch.h"

namespace aaren::training {

struct ValidationFile {
  std::string name;  // the name in the report
  int season = 1;    // season of seasonal naive and of MASE
  std::vector<forecasting::CsvSeries> series;
};

// InvalidArgument if no series is long enough for a forecast in its last fifth, or the season is below 1.
absl::Status CheckValidationFile(const package::ForecasterConfig& config, const ValidationFile& file);

struct FileQuality {
  double mase = 0;      // mean over the series; NaN if no series can be scored
  double relative = 0;  // geometric mean of MASE over seasonal naive's MASE
};

FileQuality Score(nn::Forecaster& forecaster, const ValidationFile& file);

// The quality on held-out crops.
struct HeldOutQuality {
  double coverage80 = 0;  // share of values between the outermost quantiles 0.1 and 0.9; NaN without both
  double relative =
      0;  // mean |value - median| / mean |value - last value|, in deviations of the token's scale, at most 12
};

HeldOutQuality Score(nn::Forecaster& forecaster, const Batch& held_out);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_LOSS_QUALITY_H_
