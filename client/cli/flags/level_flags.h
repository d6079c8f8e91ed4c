#ifndef AAREN_CLIENT_CLI_FLAGS_LEVEL_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_LEVEL_FLAGS_H_

// The flags --quantiles and --level: the levels of the forecasts' quantiles. An interval of 95 % lies between the
// quantiles 0.025 and 0.975, and has the median in the middle. Threading: a plain value.

#include <string>
#include <vector>

#include "model/command_line/flags.h"

namespace aaren::cli {

struct LevelFlags {
  std::vector<float> levels = {};  // ascending, each once; empty: the model's

  // The LevelFlags outlive `flags`.
  void AddTo(command_line::Flags& flags);

 private:
  absl::Status AddQuantiles(const std::string& list);
  absl::Status AddIntervals(const std::string& list);
  absl::Status Add(double level);
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_LEVEL_FLAGS_H_
