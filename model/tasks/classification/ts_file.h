#ifndef AAREN_MODEL_TASKS_CLASSIFICATION_TS_FILE_H_
#define AAREN_MODEL_TASKS_CLASSIFICATION_TS_FILE_H_

// Reads labelled series in the .ts format of the UEA archive: lines of "@tag value", then after "@data" a case a line.
// In a case a colon separates channels, a comma values, and the last field is the class. "?" is a missing value.
// Lines that begin with # or % are comments.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace aaren::classification {

struct LabelledSeries {
  std::vector<std::vector<float>> channels;  // equally long; NaN where a value is missing
  int label = 0;                             // index of a class

  size_t length() const { return channels.front().size(); }
};

struct LabelledSet {
  std::vector<std::string> classes;  // sorted
  std::vector<LabelledSeries> cases;

  size_t channels() const { return cases.front().channels.size(); }
  size_t longest() const;
};

// Reads `path`, or `path`.gz. NotFound if both are absent; DataLoss if the compressed data are broken. InvalidArgument,
// with file and line: no number or an infinity, channels of different number or length, a class that the header does
// not name, time stamps, no classes, or no cases.
absl::StatusOr<LabelledSet> ReadTsFile(const std::string& path);

// Fills missing values in a straight line between their neighbours, and at the ends with the nearest value. A channel
// without any value becomes 0.
void FillGaps(LabelledSet& set);

// Fills missing values with the last value of the channel before, and with 0 before the first.
void HoldLast(LabelledSet& set);

struct ChannelScale {
  double mean = 0, deviation = 0;  // the sample standard deviation
};

// Each channel has a number over all cases, without missing values; 0 for a channel without any value.
std::vector<ChannelScale> ScalesOf(const LabelledSet& set);

// Subtracts the mean of each channel over all cases, and divides by the sample standard deviation. The second form
// takes means and deviations above 0 from other data, one for each channel.
void Standardise(LabelledSet& set);
void Standardise(absl::Span<const double> means, absl::Span<const double> deviations, LabelledSet& set);

// Subtracts the mean of each channel of each case, and divides each time step by the deviation between its channels.
void StandardiseCases(LabelledSet& set);

}  // namespace aaren::classification

#endif  // AAREN_MODEL_TASKS_CLASSIFICATION_TS_FILE_H_
