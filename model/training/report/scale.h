#ifndef AAREN_MODEL_TRAINING_REPORT_SCALE_H_
#define AAREN_MODEL_TRAINING_REPORT_SCALE_H_

// A Scale is one axis of a chart: a linear or logarithmic interval of numbers, and the places of round numbers.

#include <string>
#include <vector>

namespace aaren::training {

class Scale {
 public:
  // The scale from `low` to `high`, which may be equal. A logarithmic scale with a number not above 0 becomes linear.
  Scale(double low, double high, bool logarithmic);

  // The same scale with a margin of a twentieth at either end.
  static Scale WithMargins(double low, double high, bool logarithmic);

  // The place of `value`: 0 at the low end, 1 at the high end.
  double Position(double value) const;

  // About `count` round numbers on the scale, ascending.
  std::vector<double> Ticks(int count) const;

  // The labels of the ticks: with enough decimals to tell ticks apart, and with k and M for thousands and millions if
  // shorter.
  static std::vector<std::string> Labels(const std::vector<double>& ticks);

 private:
  double At(double value) const;  // the value, or its logarithm

  bool logarithmic_;
  double low_, high_;  // values, or their logarithms
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_SCALE_H_
