#ifndef AAREN_MODEL_COMMAND_LINE_NEAR_WORDS_H_
#define AAREN_MODEL_COMMAND_LINE_NEAR_WORDS_H_

// The known words that a mistyped word may stand for. The code is our own, because neither CLI11 nor Abseil offers a
// search, and a library for fuzzy matching would be a dependency for twenty lines.
//
// Threading: plain functions.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::command_line {

// The candidates nearest to `word`, nearest first, three at most.
std::vector<std::string> NearWords(absl::string_view word, absl::Span<const std::string> candidates);

// "; did you mean --a or --b?", or empty if no candidate is near.
std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates);

}  // namespace aaren::command_line

#endif  // AAREN_MODEL_COMMAND_LINE_NEAR_WORDS_H_
