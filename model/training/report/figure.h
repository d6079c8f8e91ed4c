#ifndef AAREN_MODEL_TRAINING_REPORT_FIGURE_H_
#define AAREN_MODEL_TRAINING_REPORT_FIGURE_H_

// Figures as SVG: a sheet of charts of one size, each with axes of its own. The text works alone as a file and inside
// an HTML page. The text names no fonts and needs no other file.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace aaren::training {

struct Line {
  std::string name;          // in the legend; empty: absent from the legend
  std::vector<double> x, y;  // equally long; x ascends, NaN in y breaks the line
  bool faint = false;        // drawn behind all other lines, as background
};

struct Chart {
  std::string title;
  std::string x_label;
  std::vector<Line> lines;
  bool logarithmic_x = false;  // if every x is above 0
  bool from_zero = false;      // y begins at 0
  bool show_gaps = false;      // shades the breaks of the first line
};

struct Sheet {
  int columns = 1;
  int width = 640, height = 240;  // size of a chart in pixels
};

// Draws charts row by row. A chart without points says "nothing to draw".
std::string DrawFigure(const std::vector<Chart>& charts, const Sheet& sheet);

// Escapes text for an element or attribute of SVG and HTML.
std::string Escaped(absl::string_view text);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_FIGURE_H_
