#ifndef AAREN_SERVER_TASK_TOKEN_NUMBERS_H_
#define AAREN_SERVER_TASK_TOKEN_NUMBERS_H_

// The numbers of tokens as a client sends them, of whatever task: the repeated fields of a Tokens item. From the
// message to the model's Conversion everybody passes them on as one thing. So a field that a new task brings is named
// here, where messages are read, and in that task's Conversion.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace aaren::task {

struct TokenNumbers {
  absl::Span<const float> values = {};         // [n, channels]
  absl::Span<const int64_t> times_ns = {};     // [n] or empty
  absl::Span<const uint32_t> marks = {};       // likewise: classes of events
  absl::Span<const float> future_values = {};  // [n, horizon, covariates] or empty

  // How many tokens they are, if a token has so many channels.
  uint64_t count(uint32_t channels) const {
    if (values.empty()) return marks.size();
    return channels <= 1 ? values.size() : values.size() / channels;
  }

  // Those of the tokens from `first` on. REQUIRES: every field that is there fits count(channels).
  TokenNumbers From(uint64_t first, uint32_t channels) const {
    if (first == 0) return *this;
    const auto rest = [tokens = count(channels), first](auto field) {
      return field.subspan(std::min(first, tokens) * (tokens == 0 ? 0 : field.size() / tokens));
    };
    return {rest(values), rest(times_ns), rest(marks), rest(future_values)};
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
        future_values_(numbers.future_values.begin(), numbers.future_values.end()) {}

  // Good until this is changed or gone.
  TokenNumbers view() const { return {values_, times_ns_, marks_, future_values_}; }

  // Of memory, without its own.
  size_t bytes() const {
    return values_.size() * sizeof(float) + times_ns_.size() * sizeof(int64_t) + marks_.size() * sizeof(uint32_t) +
           future_values_.size() * sizeof(float);
  }

 private:
  std::vector<float> values_;
  std::vector<int64_t> times_ns_;
  std::vector<uint32_t> marks_;
  std::vector<float> future_values_;
};

}  // namespace aaren::task

#endif  // AAREN_SERVER_TASK_TOKEN_NUMBERS_H_
