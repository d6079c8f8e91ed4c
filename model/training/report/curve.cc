#include "model/training/report/curve.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"

namespace aaren::training {
namespace {

bool SameColumn(const Point& a, const Point& b) { return std::floor(2 * a.x) == std::floor(2 * b.x); }

// Keeps the points of one column that leave a trace.
void AppendColumn(absl::Span<const Point> column, std::vector<Point>& kept) {
  const auto [low, high] =
      std::minmax_element(column.begin(), column.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  for (size_t i = 0; i < column.size(); ++i) {
    const bool extreme = &column[i] == &*low || &column[i] == &*high;
    if (i == 0 || i + 1 == column.size() || extreme) kept.push_back(column[i]);
  }
}

// Adds points without a break.
void AppendRun(absl::Span<const Point> run, std::string& path) {
  std::vector<Point> kept;
  for (size_t begin = 0, end = 0; begin < run.size(); begin = end) {
    while (end < run.size() && SameColumn(run[begin], run[end])) ++end;
    AppendColumn(run.subspan(begin, end - begin), kept);
  }
  for (size_t i = 0; i < kept.size(); ++i)
    absl::StrAppendFormat(&path, "%c%.1f %.1f", i == 0 ? 'M' : 'L', kept[i].x, kept[i].y);
  // A path of one point draws nothing; a stroke of length 0 with round ends is a dot.
  if (kept.size() == 1) path += "h0";
}

}  // namespace

std::string PathThrough(const std::vector<Point>& points) {
  std::string path;
  for (size_t begin = 0, end = 0; begin < points.size(); begin = end + 1) {
    for (end = begin; end < points.size() && !std::isnan(points[end].y);) ++end;
    if (end > begin) AppendRun(absl::MakeConstSpan(points).subspan(begin, end - begin), path);
  }
  return path;
}

}  // namespace aaren::training
