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
  absl::Span<const float> future_values = {};  // [n, horizon, covariates] or empty
  absl::Span<const double> doubles = {};       // [n, channels], instead of values

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
    return {rest(values), rest(times_ns), rest(marks), rest(future_values), rest(doubles)};
  }
};

// A copy, for tokens that outlive their message.
class OwnedNumbers {
 public:
  OwnedNumbers() = default;
  explicit OwnedNumbers(const TokenNumbers& numbers)
      : values_(numbers.values.begin(), numbers.values.end()),
        times_ns_(numbers.times_ns.begin(), numbers.times_ns.end()),
        marks_(numbers.marks.begin(), numbers.marks.end()),
        future_values_(numbers.future_values.begin(), numbers.future_values.end()),
        doubles_(numbers.doubles.begin(), numbers.doubles.end()) {}

  // Valid until the OwnedNumbers change or go.
  TokenNumbers view() const { return {values_, times_ns_, marks_, future_values_, doubles_}; }

  // The memory of the arrays.
  size_t bytes() const {
    return values_.size() * sizeof(float) + times_ns_.size() * sizeof(int64_t) + marks_.size() * sizeof(uint32_t) +
           future_values_.size() * sizeof(float) + doubles_.size() * sizeof(double);
  }

 private:
  std::vector<float> values_;
  std::vector<int64_t> times_ns_;
  std::vector<uint32_t> marks_;
  std::vector<float> future_values_;
  std::vector<double> doubles_;
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_TOKEN_NUMBERS_H_
