#ifndef AAREN_SERVER_REGISTRAR_LIST_PAGE_TOKEN_H_
#define AAREN_SERVER_REGISTRAR_LIST_PAGE_TOKEN_H_

// A page token says behind which session the next page of a list begins. It holds that session's id and a check, so
// that a token which was not given out for this list is recognised.

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::registrar {

// `list` names the list: the key prefix that it was asked with.
std::string EncodePageToken(absl::string_view list, absl::string_view last_key);

// The key; none if this is no token of that list.
std::optional<std::string> DecodePageToken(absl::string_view list, absl::string_view token);

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_LIST_PAGE_TOKEN_H_
