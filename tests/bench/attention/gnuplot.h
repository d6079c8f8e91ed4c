#ifndef AAREN_TESTS_BENCH_ATTENTION_GNUPLOT_H_
#define AAREN_TESTS_BENCH_ATTENTION_GNUPLOT_H_

// Figures are drawn by gnuplot, a program of its own that reads a script from its standard input.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::bench {

// Runs `program`, looked for in PATH, on the script and waits for its end. FailedPrecondition that says what to install
// if there is no such program; Internal if it fails, its own message being on standard error.
absl::Status RunGnuplot(absl::string_view script, const std::string& program = "gnuplot");

// The text as a string of gnuplot's language, in single quotes.
std::string Quoted(absl::string_view text);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ATTENTION_GNUPLOT_H_
