#ifndef AAREN_MODEL_TRAINING_REPORT_CURVE_H_
#define AAREN_MODEL_TRAINING_REPORT_CURVE_H_

// A curve on its way into a drawing: points in pixels, and the path through them as SVG writes it.

#include <string>
#include <vector>

namespace aaren::training {

struct Point {
  double x, y;  // pixels; y is NaN where there is none
};

// The `d` of an SVG path through the points, from left to right, broken where there is none; one alone between two
// breaks is a dot. Where many fall within half a pixel only the first, lowest, highest and last are kept: what is seen
// is the same, in far fewer bytes. Empty if there is no point at all.
std::string PathThrough(const std::vector<Point>& points);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_CURVE_H_
