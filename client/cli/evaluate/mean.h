#ifndef AAREN_CLIENT_CLI_EVALUATE_MEAN_H_
#define AAREN_CLIENT_CLI_EVALUATE_MEAN_H_

// The mean of the added numbers without NaN; NaN without numbers. Threading: a plain value.

#include <cmath>
#include <cstdint>
#include <limits>

namespace aaren::cli {

class Mean {
 public:
  void Add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++count_;
  }

  double value() const {
    return count_ == 0 ? std::numeric_limits<double>::quiet_NaN() : sum_ / static_cast<double>(count_);
  }

 private:
  double sum_ = 0;
  uint64_t count_ = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_MEAN_H_
