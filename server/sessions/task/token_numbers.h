#ifndef AAREN_SERVER_SESSIONS_TASK_TOKEN_NUMBERS_H_
#define AAREN_SERVER_SESSIONS_TASK_TOKEN_NUMBERS_H_

// The numbers of tokens from a client, for any task: the repeated fields of a Tokens item. From the message to the
// model's Conversion all code passes the numbers on as one value. A new task's field is named only here, at the parser
// of messages, and in the task's Conversion.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace aaren::task {

struct TokenNumbers {
  absl::Span<const float> values = {};         // [n, channels]
  absl::Span<const int64_t> times_ns = {};     // [n] or empty
  absl::Span<const uint32_t> marks = {};       // classes of events, [n] or empty
  absl::Span<const float> future_values = {};  // [n, steps of the plan, future covariates] or empty
  absl::Span<const double> doubles = {};       // [n, channels], instead of values
  absl::Span<const float> covariates = {};     // [n, covariates], past ones first, or empty

  // The number of tokens, given the channels of a token.
  uint64_t count(uint32_t channels) const {
    const size_t numbers = values.size() + doubles.size();
    if (numbers == 0) return marks.size();
    return channels <= 1 ? numbers : numbers / channels;
  }

  // The numbers of the tokens from `first` on. REQUIRES: every present field fits count(channels).
  TokenNumbers From(uint64_t first, uint32_t channels) const {
    if (first == 0) return *this;
    const auto rest = [tokens = count(channels), first](auto field) {
      return field.subspan(std::min(first, tokens) * (tokens == 0 ? 0 : field.size() / tokens));
    };
    return {rest(values), rest(times_ns), rest(marks), rest(future_values), rest(doubles), rest(covariates)};
  }
};

// A copy, for tokens that outlive their message. Many may wait, so the floats share one block.
class OwnedNumbers {
 public:
  OwnedNumbers() = default;
  explicit OwnedNumbers(const TokenNumbers& numbers)
      : floats_(numbers.values.begin(), numbers.values.end()),
        values_(static_cast<uint32_t>(numbers.values.size())),
        future_values_(static_cast<uint32_t>(numbers.future_values.size())),
        times_ns_(numbers.times_ns.begin(), numbers.times_ns.end()),
        marks_(numbers.marks.begin(), numbers.marks.end()),
        doubles_(numbers.doubles.begin(), numbers.doubles.end()) {
    floats_.insert(floats_.end(), numbers.future_values.begin(), numbers.future_values.end());
    floats_.insert(floats_.end(), numbers.covariates.begin(), numbers.covariates.end());
  }

  // Valid until the OwnedNumbers change or go.
  TokenNumbers view() const {
    const absl::Span<const float> floats = floats_;
    return {floats.first(values_),
            times_ns_,
            marks_,
            floats.subspan(values_, future_values_),
            doubles_,
            floats.subspan(values_ + future_values_)};
  }

  // The memory of the arrays.
  size_t bytes() const {
    return floats_.size() * sizeof(float) + times_ns_.size() * sizeof(int64_t) + marks_.size() * sizeof(uint32_t) +
           doubles_.size() * sizeof(double);
  }

 private:
  std::vector<float> floats_;  // values, future values, covariates
  uint32_t values_ = 0, future_values_ = 0;
  std::vector<int64_t> times_ns_;
  std::vector<uint32_t> marks_;
  std::vector<double> doubles_;
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_TOKEN_NUMBERS_H_
