#ifndef AAREN_MODEL_COMMAND_LINE_NEAR_WORDS_H_
#define AAREN_MODEL_COMMAND_LINE_NEAR_WORDS_H_

// What somebody may have meant who typed a word that is not known. By hand: neither CLI11 nor Abseil offers it, and a
// library for fuzzy matching would be a dependency for twenty lines.
//
// Threading: plain functions.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::command_line {

// The candidates that `word` may have been meant for, nearest first, at most three.
std::vector<std::string> NearWords(absl::string_view word, absl::Span<const std::string> candidates);

// "; did you mean --a or --b?", or empty.
std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates);

}  // namespace aaren::command_line

#endif  // AAREN_MODEL_COMMAND_LINE_NEAR_WORDS_H_
