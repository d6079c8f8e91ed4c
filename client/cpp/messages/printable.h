#ifndef AAREN_CLIENT_CPP_MESSAGES_PRINTABLE_H_
#define AAREN_CLIENT_CPP_MESSAGES_PRINTABLE_H_

// Ids and names are printable ASCII. Bytes that are no UTF-8 would make an unreadable message, and the stream would end
// for all its sessions. Threading: functions.

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace aaren::client {

inline bool IsPrintable(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

// INVALID_ARGUMENT naming `what`.
inline absl::Status CheckPrintable(absl::string_view what, absl::string_view text) {
  if (IsPrintable(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " of other than printable ASCII"));
}

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_MESSAGES_PRINTABLE_H_
