#ifndef AAREN_SERVER_OPERATE_LOG_SHOWN_H_
#define AAREN_SERVER_OPERATE_LOG_SHOWN_H_

// Text from outside, in the form for an error or the log. The text is cut between two characters: clients cannot read a
// status that is no UTF-8, and lose the stream. Threading: a function.

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::log {

// The first characters of `text`, at most `most` bytes, and "..." if `text` is longer. Bytes that are no UTF-8 and
// control characters are escaped.
std::string Shown(absl::string_view text, size_t most = 128);

}  // namespace aaren::log

#endif  // AAREN_SERVER_OPERATE_LOG_SHOWN_H_
