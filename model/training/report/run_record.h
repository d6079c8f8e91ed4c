#ifndef AAREN_MODEL_TRAINING_REPORT_RUN_RECORD_H_
#define AAREN_MODEL_TRAINING_REPORT_RUN_RECORD_H_

// A RunRecord is what is told of a training run beside its weights and curves: in model.json, and in its report.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/training/optimizer.h"
#include "model/training/trainer.h"

namespace aaren::training {

struct RunRecord {
  std::string name;     // of the model
  std::string command;  // as typed
  std::string data;     // "synthetic" or "csv"
  uint64_t seed = 1, data_seed = 1;
  std::string date, machine, code_version;
  std::vector<std::pair<std::string, std::string>> flags;  // every one, with its value
  OptimizerOptions optimizer;                              // for the curve of its rates
};

// Today, on this machine, by this program; the rest is the caller's to fill in.
RunRecord RecordHere(int threads);

// The training summary of model.json.
std::map<std::string, std::string> TrainingSummary(const RunRecord& record, const TrainResult& result);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_RUN_RECORD_H_
