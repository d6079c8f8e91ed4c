#ifndef AAREN_MODEL_TRAINING_REPORT_RUN_REPORT_H_
#define AAREN_MODEL_TRAINING_REPORT_RUN_REPORT_H_

// The report of a training run as a single HTML page: the command, machine and time of the run, and curves of loss,
// learning rates and speed. If validation files were named, the report also has the forecast quality.

#include <string>

#include "absl/status/status.h"
#include "model/training/report/run_record.h"
#include "model/training/trainer.h"

namespace aaren::training {

// The page. REQUIRES: progress.history is set.
std::string RunReport(const RunRecord& record, const TrainProgress& progress);

// The path of a run's report: in the folder of the checkpoints, or else beside the package. A report inside the
// package's folder would, until the end of the run, make a folder that looks like a package and is none.
std::string ReportPath(const std::string& checkpoint, const std::string& output);

// Replaces the report at `path`, creating its folder. Unavailable names the path.
absl::Status WriteRunReport(const std::string& path, const RunRecord& record, const TrainProgress& progress);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_RUN_REPORT_H_
