#include "client/cli/flags/level_flags.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::cli {
namespace {

// Beyond the two a session has seen too little to tell one level from the next.
constexpr double kLeast = 0.005, kMost = 0.995;

absl::StatusOr<std::vector<double>> Numbers(const std::string& list) {
  std::vector<double> numbers;
  for (const absl::string_view text : absl::StrSplit(list, ',')) {
    if (!absl::SimpleAtod(text, &numbers.emplace_back())) {
      return absl::InvalidArgumentError(absl::StrCat("has \"", text, "\", which is no number"));
    }
  }
  return numbers;
}

}  // namespace

void LevelFlags::AddTo(command_line::Flags& flags) {
  flags.Add(
      "quantiles", [this](const std::string& list) { return AddQuantiles(list); },
      "levels of the forecasts' quantiles, 0.005 to 0.995, separated by commas: 0.05,0.5,0.95; without it the model's",
      "");
  flags.Add(
      "level", [this](const std::string& list) { return AddIntervals(list); },
      "intervals in percent, 1 to 99, separated by commas: 80,95 are the quantiles 0.025, 0.1, 0.5, 0.9 and 0.975", "");
}

absl::Status LevelFlags::Add(double level) {
  if (!(level >= kLeast && level <= kMost)) {
    return absl::InvalidArgumentError(absl::StrCat("has the level ", level, "; ", kLeast, " .. ", kMost, " expected"));
  }
  const float wanted = static_cast<float>(level);
  const auto place = std::lower_bound(levels.begin(), levels.end(), wanted);
  if (place == levels.end() || *place != wanted) levels.insert(place, wanted);
  return absl::OkStatus();
}

absl::Status LevelFlags::AddQuantiles(const std::string& list) {
  const absl::StatusOr<std::vector<double>> numbers = Numbers(list);
  absl::Status status = numbers.status();
  for (size_t i = 0; status.ok() && i < numbers->size(); ++i) status = Add((*numbers)[i]);
  return status;
}

absl::Status LevelFlags::AddIntervals(const std::string& list) {
  const absl::StatusOr<std::vector<double>> numbers = Numbers(list);
  if (!numbers.ok()) return numbers.status();
  for (const double percent : *numbers) {
    if (!(percent >= 1 && percent <= 99)) {
      return absl::InvalidArgumentError(absl::StrCat("has an interval of ", percent, " %; 1 .. 99 expected"));
    }
    for (const double level : {(100 - percent) / 200, 0.5, (100 + percent) / 200}) {
      absl::Status added = Add(level);
      if (!added.ok()) return added;
    }
  }
  return absl::OkStatus();
}

}  // namespace aaren::cli
