#ifndef AAREN_MODEL_TRAINING_REPORT_RUN_RECORD_H_
#define AAREN_MODEL_TRAINING_REPORT_RUN_RECORD_H_

// A RunRecord describes a training run, apart from weights and curves, for model.json and for the report.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/training/optimizer.h"
#include "model/training/trainer.h"

namespace aaren::training {

struct RunRecord {
  std::string name;     // name of the model
  std::string command;  // the command typed
  std::string data;     // "synthetic" or "csv"
  uint64_t seed = 1, data_seed = 1;
  std::string date, machine, code_version;
  std::vector<std::pair<std::string, std::string>> flags;  // every flag with its value
  OptimizerOptions optimizer;                              // for the curve of the rates
};

// A record with today's date, this machine and this program; the caller fills in all other fields.
RunRecord RecordHere(int threads);

// The training summary of model.json.
std::map<std::string, std::string> TrainingSummary(const RunRecord& record, const TrainResult& result);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_RUN_RECORD_H_
