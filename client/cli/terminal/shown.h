#ifndef AAREN_CLIENT_CLI_TERMINAL_SHOWN_H_
#define AAREN_CLIENT_CLI_TERMINAL_SHOWN_H_

// Text in a form safe for a terminal. Names in files, and a server's words, may hold bytes that move the cursor, turn
// the direction of writing, or are invisible. Shown writes each such byte as an escape, \x1b or \u202e: a text is what
// it looks like. Every message to people is shown: see report.h.
//
//   Shown("a\x1b[2Jb");         // a\x1b[2Jb, in nine visible characters
//   Padded("温度", 8);            // the name and four blanks, since the name takes four columns
//
// Threading: functions.

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::cli {

// `text` in valid UTF-8 with every control and every invisible character escaped, line ends too.
std::string Shown(absl::string_view text);

// How many columns of a terminal a shown text takes.
size_t Columns(absl::string_view shown);

// The beginning of a shown text that fits into `columns`, without half a character.
std::string Cut(absl::string_view shown, size_t columns);

// `text` shown, and blanks up to `columns`.
std::string Padded(absl::string_view text, size_t columns);

// JSON with invisible characters as \u escapes, which a parser reads as the same characters.
std::string EscapedJson(absl::string_view json);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_SHOWN_H_
