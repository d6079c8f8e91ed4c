#ifndef AAREN_CLIENT_CLI_EVALUATE_CLASS_EVALUATION_H_
#define AAREN_CLIENT_CLI_EVALUATE_CLASS_EVALUATION_H_

// Scores a server's classifier on labelled series. Each case is streamed through a session of its own, which is deleted
// at the end, and the probabilities after each twentieth of the case are judged
// (model/tasks/classification/earliness.h). Threading: blocks.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/evaluate/series_stream.h"
#include "client/cli/terminal/interrupt.h"
#include "model/tasks/classification/earliness.h"
#include "model/tasks/classification/ts_file.h"

namespace aaren::cli {

struct ClassEvaluationOptions {
  EvaluatedServer server = {};
  std::optional<double> threshold = {};  // for early decisions; absent: the model's from training, else 0.9
};

struct ClassScores {
  std::vector<classification::Unfolding> cases;
  double threshold = 0;
  std::string model;  // name:version
};

// `progress` is called with the number of finished cases. CANCELLED if interrupted; INVALID_ARGUMENT if the model is no
// classifier or lacks a class of the cases; else the server's refusal, naming the case.
absl::StatusOr<ClassScores> EvaluateClasses(const classification::LabelledSet& set,
                                            const ClassEvaluationOptions& options, const Interrupt& interrupt,
                                            const std::function<void(size_t)>& progress);

// A line of JSON.
std::string ClassScoresToJson(const ClassScores& scores);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_CLASS_EVALUATION_H_
