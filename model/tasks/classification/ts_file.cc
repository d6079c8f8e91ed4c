#include "model/tasks/classification/ts_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "model/tasks/forecasting/line_reader.h"

namespace aaren::classification {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

absl::StatusOr<float> ValueOf(absl::string_view field) {
  float value;
  field = absl::StripAsciiWhitespace(field);
  if (field == "?") return kMissing;
  if (absl::SimpleAtof(field, &value) && std::isfinite(value)) return value;
  return absl::InvalidArgumentError(absl::StrCat("\"", field, "\" is no finite number"));
}

absl::StatusOr<std::vector<float>> ChannelOf(absl::string_view text) {
  std::vector<float> values;
  for (const absl::string_view field : absl::StrSplit(text, ',')) {
    const absl::StatusOr<float> value = ValueOf(field);
    if (!value.ok()) return value.status();
    values.push_back(*value);
  }
  return values;
}

class TsReader {
 public:
  // Takes a line that is neither empty nor a comment.
  absl::Status Take(absl::string_view line) {
    if (data_) return TakeCase(line);
    const std::vector<std::string> words = absl::StrSplit(absl::AsciiStrToLower(line), ' ', absl::SkipEmpty());
    if (words[0] == "@data") return BeginData();
    if (words[0] == "@timestamps" && words.size() > 1 && words[1] == "true") {
      return absl::InvalidArgumentError("series with time stamps are not read");
    }
    if (words[0] == "@classlabel" && words.size() > 1 && words[1] == "true") {
      const std::vector<std::string> exact = absl::StrSplit(line, ' ', absl::SkipEmpty());
      set_.classes.assign(exact.begin() + 2, exact.end());
      std::sort(set_.classes.begin(), set_.classes.end());
    }
    return words[0][0] == '@' ? absl::OkStatus() : absl::InvalidArgumentError("data before @data");
  }

  LabelledSet&& set() { return std::move(set_); }

 private:
  absl::Status BeginData() {
    data_ = true;
    if (set_.classes.size() >= 2) return absl::OkStatus();
    return absl::InvalidArgumentError("the header has no @classLabel true with two classes or more");
  }

  absl::Status TakeCase(absl::string_view line) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ':');
    LabelledSeries one;
    for (size_t i = 0; i + 1 < fields.size(); ++i) {
      absl::StatusOr<std::vector<float>> channel = ChannelOf(fields[i]);
      if (!channel.ok())
        return absl::InvalidArgumentError(absl::StrCat("channel ", i, ": ", channel.status().message()));
      one.channels.push_back(*std::move(channel));
    }
    if (absl::Status status = CheckShape(one); !status.ok()) return status;
    const absl::string_view name = absl::StripAsciiWhitespace(fields.back());
    const auto at = std::find(set_.classes.begin(), set_.classes.end(), name);
    if (at == set_.classes.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the class \"", name, "\" is none of ", absl::StrJoin(set_.classes, ", ")));
    }
    one.label = static_cast<int>(at - set_.classes.begin());
    set_.cases.push_back(std::move(one));
    return absl::OkStatus();
  }

  absl::Status CheckShape(const LabelledSeries& one) const {
    const size_t channels = set_.cases.empty() ? std::max<size_t>(1, one.channels.size()) : set_.channels();
    if (one.channels.size() != channels) {
      return absl::InvalidArgumentError(absl::StrCat(one.channels.size(), " channels, not ", channels));
    }
    for (size_t i = 1; i < channels; ++i) {
      if (one.channels[i].size() == one.length()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("channel ", i, " has ", one.channels[i].size(), " values, channel 0 has ", one.length()));
    }
    return absl::OkStatus();
  }

  bool data_ = false;
  LabelledSet set_;
};

void FillChannel(std::vector<float>& values) {
  const auto present = [](float value) { return !std::isnan(value); };
  const auto first = std::find_if(values.begin(), values.end(), present);
  if (first == values.end()) return std::fill(values.begin(), values.end(), 0.0f);
  std::fill(values.begin(), first, *first);
  for (auto left = first; left != values.end();) {
    const auto right = std::find_if(left + 1, values.end(), present);
    const auto gap = static_cast<float>(right - left);
    const float rise = right == values.end() ? 0 : (*right - *left) / gap;
    for (auto at = left + 1; at != right; ++at) *at = *left + rise * static_cast<float>(at - left);
    left = right;
  }
}

ChannelScale ScaleOf(const LabelledSet& set, size_t c) {
  double count = 0, sum = 0, squares = 0;
  const auto for_each = [&](const auto& take) {
    for (const LabelledSeries& one : set.cases) {
      for (const float value : one.channels[c]) {
        if (!std::isnan(value)) take(value);
      }
    }
  };
  for_each([&](float value) { sum += value, ++count; });
  if (count == 0) return {};
  const double mean = sum / count;
  for_each([&](float value) { squares += (value - mean) * (value - mean); });
  return {.mean = mean, .deviation = std::sqrt(squares / std::max(1.0, count - 1))};
}

// The population variance between the channels of `one` at step t.
double VarianceBetweenChannels(const LabelledSeries& one, size_t t) {
  const auto channels = static_cast<double>(one.channels.size());
  double mean = 0, squares = 0;
  for (const std::vector<float>& channel : one.channels) mean += channel[t] / channels;
  for (const std::vector<float>& channel : one.channels) squares += (channel[t] - mean) * (channel[t] - mean);
  return squares / channels;
}

}  // namespace

size_t LabelledSet::longest() const {
  size_t longest = 0;
  for (const LabelledSeries& one : cases) longest = std::max(longest, one.length());
  return longest;
}

absl::StatusOr<LabelledSet> ReadTsFile(const std::string& path) {
  absl::StatusOr<forecasting::LineReader> lines = forecasting::LineReader::Open(path);
  if (!lines.ok()) return lines.status();
  TsReader reader;
  for (std::string line; lines->Next(line);) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty() || text[0] == '#' || text[0] == '%') continue;
    if (const absl::Status status = reader.Take(text); !status.ok()) return lines->Error(status.message());
  }
  if (absl::Status status = lines->status(); !status.ok()) return status;
  LabelledSet set = reader.set();
  if (set.cases.empty()) return lines->Error("the file ends without a case");
  return set;
}

void FillGaps(LabelledSet& set) {
  for (LabelledSeries& one : set.cases) {
    for (std::vector<float>& channel : one.channels) FillChannel(channel);
  }
}

void HoldLast(LabelledSet& set) {
  for (LabelledSeries& one : set.cases) {
    for (std::vector<float>& channel : one.channels) {
      float last = 0;
      for (float& value : channel) value = last = std::isnan(value) ? last : value;
    }
  }
}

std::vector<ChannelScale> ScalesOf(const LabelledSet& set) {
  std::vector<ChannelScale> scales;
  for (size_t c = 0; c < set.channels(); ++c) scales.push_back(ScaleOf(set, c));
  return scales;
}

void Standardise(absl::Span<const double> means, absl::Span<const double> deviations, LabelledSet& set) {
  for (LabelledSeries& one : set.cases) {
    for (size_t c = 0; c < one.channels.size(); ++c) {
      for (float& value : one.channels[c]) value = static_cast<float>((value - means[c]) / deviations[c]);
    }
  }
}

void Standardise(LabelledSet& set) {
  // Keeps a constant channel finite, as the library of the paper's experiments does.
  constexpr double kLeast = 2.2e-16;
  std::vector<double> means, deviations;
  for (const ChannelScale& scale : ScalesOf(set)) {
    means.push_back(scale.mean);
    deviations.push_back(scale.deviation + kLeast);
  }
  Standardise(means, deviations, set);
}

void StandardiseCases(LabelledSet& set) {
  constexpr double kLeastVariance = 1e-5;
  for (LabelledSeries& one : set.cases) {
    for (std::vector<float>& channel : one.channels) {
      double mean = 0;
      for (const float value : channel) mean += value / static_cast<double>(channel.size());
      for (float& value : channel) value = static_cast<float>(value - mean);
    }
    for (size_t t = 0; t < one.length(); ++t) {
      const double deviation = std::sqrt(VarianceBetweenChannels(one, t) + kLeastVariance);
      for (std::vector<float>& channel : one.channels) channel[t] = static_cast<float>(channel[t] / deviation);
    }
  }
}

}  // namespace aaren::classification
