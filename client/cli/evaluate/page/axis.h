#ifndef AAREN_CLIENT_CLI_EVALUATE_PAGE_AXIS_H_
#define AAREN_CLIENT_CLI_EVALUATE_PAGE_AXIS_H_

// An Axis maps the values of a direction of a figure onto its pixels. The axis places its ticks at 1, 2 or 5 times a
// power of ten, as many as fit without touching labels.
//
//   Axis axis({.label = "rows ahead"}, 40, 440);   // pixels; from may exceed to, as it does for y
//   axis.Include(1);
//   axis.Include(24);
//   axis.Pixel(12);
//
// Threading: a plain value.

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace aaren::cli {

struct Tick {
  double value;
  std::string label;
};

struct AxisOptions {
  std::string label = {};               // the measured quantity, with its unit
  std::vector<double> include = {};     // values on the axis whatever the data
  bool logarithmic = false;             // leaves out values that are not positive
  bool percent = false;                 // a share, labelled as a percentage
  double padding = 0;                   // beyond the data, as a share of the data's range
  std::vector<std::string> names = {};  // names of the values 0, 1, ..., in place of numbers
};

class Axis {
 public:
  Axis(AxisOptions options, double from, double to);

  // NaN and infinity are passed over.
  void Include(double value);

  // True if the value has a place on the axis.
  bool Shows(double value) const;
  double Pixel(double value) const;  // REQUIRES: Shows(value)

  // Ascending ticks, at most `most`, but a tick for each name.
  std::vector<Tick> Ticks(int most) const;

  const AxisOptions& options() const { return options_; }

 private:
  struct Range {
    double low, high;
  };
  Range Bounds() const;  // padded, never empty; of logarithms on a logarithmic axis

  AxisOptions options_;
  double from_, to_;
  double low_, high_;  // the range of the included values
};

// A tick's label: 12,000 or 0.25 or 1.5e+30, with as many decimals as the step between ticks asks for.
std::string TickLabel(double value, double step);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_PAGE_AXIS_H_
