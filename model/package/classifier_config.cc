#include "model/package/classifier_config.h"

#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace aaren::package {
namespace {

// Quotients and differences of numbers within the bounds stay far from overflow.
constexpr double kMostMean = 1e30, kLeastDeviation = 1e-30, kMostDeviation = 1e30;

absl::Status CheckCount(absl::string_view field, size_t count, size_t least, size_t most) {
  if (count >= least && count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, " has ", count, " entries, not from ", least, " to ", most));
}

absl::Status CheckClasses(const std::vector<std::string>& classes) {
  std::set<std::string> names;
  for (size_t i = 0; i < classes.size(); ++i) {
    const std::string& name = classes[i];
    if (name.empty() || name.size() > ClassifierConfig::kMostNameBytes) {
      return absl::InvalidArgumentError(absl::StrCat("classes[", i, "] has ", name.size(), " bytes, not from 1 to ",
                                                     ClassifierConfig::kMostNameBytes));
    }
    if (!names.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat("classes[", i, "] is \"", name, "\" a second time"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNumbers(absl::string_view field, const std::vector<double>& numbers, double least, double most) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    // The negated comparison refuses NaN, too.
    if (!(numbers[i] >= least && numbers[i] <= most)) {
      return absl::InvalidArgumentError(
          absl::StrCat(field, "[", i, "] is ", numbers[i], ", not in [", least, ", ", most, "]"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ClassifierConfig::Validate() const {
  if (steps < 1 || steps > kMostSteps) {
    return absl::InvalidArgumentError(absl::StrCat("steps is ", steps, ", not in [1, ", kMostSteps, "]"));
  }
  if (deviations.size() != means.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("deviations has ", deviations.size(), " entries, means has ", means.size()));
  }
  absl::Status status = CheckCount("classes", classes.size(), 2, kMostClasses);
  if (status.ok()) status = CheckCount("means", means.size(), 1, kMostChannels);
  if (status.ok()) status = CheckClasses(classes);
  if (status.ok()) status = CheckNumbers("means", means, -kMostMean, kMostMean);
  if (status.ok()) status = CheckNumbers("deviations", deviations, kLeastDeviation, kMostDeviation);
  return status;
}

}  // namespace aaren::package
