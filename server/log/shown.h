#ifndef AAREN_SERVER_LOG_SHOWN_H_
#define AAREN_SERVER_LOG_SHOWN_H_

// Text from outside as people are shown it, in an error or the log. It is cut between two characters: a status that is
// no UTF-8 cannot be read by clients, who lose the stream that it came on. Threading: a function.

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::log {

// The first characters of `text`, `most` bytes of them, and "..." if there are more. Bytes that are no UTF-8 and what
// moves a terminal's cursor are escaped.
std::string Shown(absl::string_view text, size_t most = 128);

}  // namespace aaren::log

#endif  // AAREN_SERVER_LOG_SHOWN_H_
