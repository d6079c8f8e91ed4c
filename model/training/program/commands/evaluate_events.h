#ifndef AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_EVALUATE_EVENTS_H_
#define AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_EVALUATE_EVENTS_H_

// `aaren-train evaluate-events` scores a package's forecaster of events on files, beside simple rules.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::training {

struct EvaluateEventsLine {
  std::string package;             // folder
  std::vector<std::string> files;  // tasks/events/event_file.h reads them
  double unit = 1;                 // seconds in one unit of the files' times
  bool calendar = true;            // times have an origin that the model may know
  bool rules = true;               // false: the model alone
  std::string help;                // text for --help, if asked for
};

// Parses the arguments after `evaluate-events`. InvalidArgument names the flag and its value.
absl::StatusOr<EvaluateEventsLine> ParseEvaluateEvents(int argc, char** argv);

// Prints two tables a file. Times that are all whole are taken as rounded to one unit. Errors are those of the package
// and of the files.
absl::Status EvaluateEventsProgram(const EvaluateEventsLine& line);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_EVALUATE_EVENTS_H_
