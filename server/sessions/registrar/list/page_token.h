#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_LIST_PAGE_TOKEN_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_LIST_PAGE_TOKEN_H_

// A page token names the session behind which the next page of a list begins. A token has the session's id and a check,
// so that a token of another list is recognised.

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::registrar {

// `list` names the list: the prefix of its keys.
std::string EncodePageToken(absl::string_view list, absl::string_view last_key);

// The key; without a value if the token is not of this list.
std::optional<std::string> DecodePageToken(absl::string_view list, absl::string_view token);

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_LIST_PAGE_TOKEN_H_
