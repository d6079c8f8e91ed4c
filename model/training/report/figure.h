#ifndef AAREN_MODEL_TRAINING_REPORT_FIGURE_H_
#define AAREN_MODEL_TRAINING_REPORT_FIGURE_H_

// Figures as SVG: a sheet of charts of one size, each with its own axes. The text stands alone as a file and inside an
// HTML page alike; it names no fonts and needs nothing from elsewhere.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace aaren::training {

struct Line {
  std::string name;          // in the legend; empty: not there
  std::vector<double> x, y;  // as many; x ascends, NaN in y breaks the line
  bool faint = false;        // behind the others, as their background
};

struct Chart {
  std::string title;
  std::string x_label;
  std::vector<Line> lines;
  bool logarithmic_x = false;  // where every x is above 0
  bool from_zero = false;      // y begins at 0
  bool show_gaps = false;      // shades where the first line is broken
};

struct Sheet {
  int columns = 1;
  int width = 640, height = 240;  // of one chart, in pixels
};

// Charts row by row. One with nothing to draw says so.
std::string DrawFigure(const std::vector<Chart>& charts, const Sheet& sheet);

// Text for an element or attribute of SVG and HTML.
std::string Escaped(absl::string_view text);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_FIGURE_H_
