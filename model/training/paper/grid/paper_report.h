#ifndef AAREN_MODEL_TRAINING_PAPER_GRID_PAPER_REPORT_H_
#define AAREN_MODEL_TRAINING_PAPER_GRID_PAPER_REPORT_H_

// The results of a grid as a table beside the paper's figures, in Markdown, and as a page with curves, in HTML.

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/training/paper/grid/cell.h"
#include "model/training/paper/grid/published.h"

namespace aaren::training {

struct CompleteCell {
  PaperCell cell;
  PaperResult result;
};

// Mean and sample standard deviation; NaN deviation for one value. REQUIRES: a value.
Spread SpreadOf(absl::Span<const double> values);

// Scores with the paper's beside them and the deviations from the paper's protocol, then the cost of each run.
// REQUIRES: cells of one task, at least one.
std::string PaperTable(absl::Span<const CompleteCell> cells);

// The table, and a chart of each curve of each dataset: a mean for each mixer, with the seeds behind.
std::string PaperPage(absl::Span<const CompleteCell> cells, const std::string& command, const std::string& machine);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_GRID_PAPER_REPORT_H_
