#ifndef AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_TRAIN_EVENTS_H_
#define AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_TRAIN_EVENTS_H_

// `aaren-train events` trains a forecaster of events on the generator's streams, and writes its package.

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/training/events/event_trainer.h"

namespace aaren::training {

struct TrainEventsLine {
  EventTrainOptions options;
  int threads = 1;
  bool bfloat16_products = false;
  std::string from;    // folder of the package to begin with; empty: random weights
  std::string output;  // folder of the package
  std::string name = "aaren-events", description;
  std::string command;  // the typed command line
  std::string help;     // text for --help, if asked for
};

// Parses the arguments after `events`. InvalidArgument names the flag and its value.
absl::StatusOr<TrainEventsLine> ParseTrainEvents(int argc, char** argv);

// Trains as long as `goes_on` says so, with a line of progress on standard error, and writes the package.
absl::Status TrainEventsProgram(TrainEventsLine line, const std::function<bool()>& goes_on);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_COMMANDS_TRAIN_EVENTS_H_
