#ifndef AAREN_CLIENT_CLI_EVALUATE_PAGE_AXIS_H_
#define AAREN_CLIENT_CLI_EVALUATE_PAGE_AXIS_H_

// An Axis maps the values of one direction of a figure onto its pixels. It says where its ticks stand: at 1, 2 or 5
// times a power of ten, so many that their labels do not touch.
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
  std::string label = {};               // what it measures, and its unit
  std::vector<double> include = {};     // values that it reaches whatever the data
  bool logarithmic = false;             // values that are not positive are then left out
  bool percent = false;                 // a share, labelled as a percentage
  double padding = 0;                   // beyond the data, as a share of its range
  std::vector<std::string> names = {};  // of the values 0, 1, ..., if they are no numbers
};

class Axis {
 public:
  Axis(AxisOptions options, double from, double to);

  // What is not finite is passed over.
  void Include(double value);

  // Whether the value has a place on the axis.
  bool Shows(double value) const;
  double Pixel(double value) const;  // REQUIRES: Shows(value)

  // Ascending, `most` of them at most, but for names: each has one.
  std::vector<Tick> Ticks(int most) const;

  const AxisOptions& options() const { return options_; }

 private:
  struct Range {
    double low, high;
  };
  Range Bounds() const;  // padded, never empty; of logarithms if it is logarithmic

  AxisOptions options_;
  double from_, to_;
  double low_, high_;  // of what was included
};

// A tick's label: 12,000 or 0.25 or 1.5e+30, with as many decimals as the step between ticks asks for.
std::string TickLabel(double value, double step);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_PAGE_AXIS_H_
