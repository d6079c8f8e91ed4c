#ifndef AAREN_MODEL_TRAINING_REPORT_SCALE_H_
#define AAREN_MODEL_TRAINING_REPORT_SCALE_H_

// A Scale is one axis of a chart: an interval of numbers, linear or logarithmic, and where on it the round numbers are.

#include <string>
#include <vector>

namespace aaren::training {

class Scale {
 public:
  // From `low` to `high`, which may be equal. Logarithmic ones need both above 0, or are linear.
  Scale(double low, double high, bool logarithmic);

  // The same with a twentieth of room at either end.
  static Scale WithMargins(double low, double high, bool logarithmic);

  // Where `value` lies: 0 at the low end, 1 at the high end.
  double Position(double value) const;

  // Round numbers on the scale, ascending, about `count` of them.
  std::vector<double> Ticks(int count) const;

  // Numbers as they are written beside ticks: with as many decimals as tell them apart, and k and M for thousands and
  // millions where that is shorter.
  static std::vector<std::string> Labels(const std::vector<double>& ticks);

 private:
  double At(double value) const;  // value or its logarithm

  bool logarithmic_;
  double low_, high_;  // of values or their logarithms
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_SCALE_H_
