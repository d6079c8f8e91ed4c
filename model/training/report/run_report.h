#ifndef AAREN_MODEL_TRAINING_REPORT_RUN_REPORT_H_
#define AAREN_MODEL_TRAINING_REPORT_RUN_REPORT_H_

// The report of a training run as one HTML page that needs nothing else. It tells what was run, where, how long, and
// the curves of loss, learning rates, speed and, where files were named for it, forecast quality.

#include <string>

#include "absl/status/status.h"
#include "model/training/report/run_record.h"
#include "model/training/trainer.h"

namespace aaren::training {

// REQUIRES: progress.history is set.
std::string RunReport(const RunRecord& record, const TrainProgress& progress);

// Where a run's report is: in the folder of its checkpoints, or, where it has none, beside the package. Not inside it,
// which until the end of the run would be a folder that looks like a package and is none.
std::string ReportPath(const std::string& checkpoint, const std::string& output);

// Replaces the report at `path`, creating its folder. Unavailable names the path.
absl::Status WriteRunReport(const std::string& path, const RunRecord& record, const TrainProgress& progress);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_RUN_REPORT_H_
