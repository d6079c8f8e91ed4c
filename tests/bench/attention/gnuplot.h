#ifndef AAREN_TESTS_BENCH_ATTENTION_GNUPLOT_H_
#define AAREN_TESTS_BENCH_ATTENTION_GNUPLOT_H_

// Draws figures by gnuplot, a separate program that reads a script from its standard input.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::bench {

// Runs `program`, found in PATH, on the script and waits for its end. FailedPrecondition naming the package to install
// if the program is missing; Internal if it fails, with its own message on standard error.
absl::Status RunGnuplot(absl::string_view script, const std::string& program = "gnuplot");

// The text as a string of gnuplot's language, in single quotes.
std::string Quoted(absl::string_view text);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ATTENTION_GNUPLOT_H_
