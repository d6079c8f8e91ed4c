#ifndef AAREN_TESTS_BENCH_ATTENTION_STREAMING_FIGURE_H_
#define AAREN_TESTS_BENCH_ATTENTION_STREAMING_FIGURE_H_

// The figure of the streaming bench, as a script for gnuplot: two panels for each width. Memory of the state is on the
// left, on logarithmic axes since it spans five decades. Cumulative time is on the right, on linear axes, where a curve
// bends that grows faster than the number of tokens. Each curve carries its fitted exponent.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/bench/bench.h"

namespace aaren::bench {

// `terminal` and `path` are gnuplot's: the driver, and the output file. Rows come from RunStreamingBench.
std::string StreamingFigure(const std::vector<Row>& rows, absl::string_view terminal, absl::string_view path);

// The rows with the column, in order.
std::vector<Row> RowsWith(const std::vector<Row>& rows, absl::string_view column);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ATTENTION_STREAMING_FIGURE_H_
