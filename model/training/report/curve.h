#ifndef AAREN_MODEL_TRAINING_REPORT_CURVE_H_
#define AAREN_MODEL_TRAINING_REPORT_CURVE_H_

// A curve for a drawing: points in pixels, and the path of SVG through the points.

#include <string>
#include <vector>

namespace aaren::training {

struct Point {
  double x, y;  // pixels; y is NaN for a break
};

// The `d` of an SVG path through the points, from left to right, with breaks. A single point between two breaks is a
// dot. Among many points within half a pixel only the first, lowest, highest and last are kept. The path then looks the
// same in far fewer bytes. Empty if there is no point.
std::string PathThrough(const std::vector<Point>& points);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_CURVE_H_
