#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_CSV_CELL_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_CSV_CELL_H_

// ReadCell tells whether a cell of a CSV file is a number, no value, or text.
//
//   double value;
//   ReadCell("1.234,5", {.decimal = ',', .thousands = '.'}, value);   // Cell::kNumber, 1234.5
//   ReadCell("#N/A", {}, value);                                      // Cell::kMissing
//
// Blanks around a number, a plus, one sign of a currency before it and one % behind it are passed over. No value is an
// empty cell, a cell of marks only (-, --, ., ?, *), and any of two dozen words that programs write: NaN, NA, N/A,
// null, None, nil, \N, missing, unavailable, unknown, #DIV/0!, 1.#QNAN and so on, in any case.
// Threading: plain functions and values.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::cli {

struct NumberStyle {
  char decimal = '.';
  char thousands = 0;  // between groups of three digits: , . ' or a blank of any kind, written as ' '; 0: none
};

enum class Cell { kNumber, kMissing, kText, kInfinite, kTooLarge };

// Sets `value` for kNumber only.
Cell ReadCell(absl::string_view text, const NumberStyle& style, double& value);

// The style that the cells of a file's first rows show. 1,234 alone may be either: a thousand where commas part the
// file's fields (`comma_parts`), else a decimal.
NumberStyle FindNumberStyle(absl::Span<const std::string> cells, bool comma_parts);

// Text without blanks at both ends, those that are not ASCII too.
absl::string_view Trimmed(absl::string_view text);

// `text` in UTF-8: as it is where it is valid, else read as Windows-1252, which has Latin-1 in it.
std::string Readable(absl::string_view text);

// The beginning of a cell in quotes, for messages: enough to find the cell, never a whole book.
std::string Excerpt(absl::string_view cell);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_CSV_CELL_H_
