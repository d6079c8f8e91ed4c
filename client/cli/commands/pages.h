#ifndef AAREN_CLIENT_CLI_COMMANDS_PAGES_H_
#define AAREN_CLIENT_CLI_COMMANDS_PAGES_H_

// Walks a list that a server gives out page by page to the list's end. Every entry must come behind the entry before: a
// list that runs in a circle has an end here. Threading: a plain function.

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

// Calls `ask`, which returns absl::StatusOr<Page>, with the token of each page, and `show` with each of its entries,
// while the entries ascend by `key`: else INTERNAL, naming the server.
template <typename Page, typename Entry, typename Ask, typename Key, typename Show>
absl::Status ForEachEntry(absl::string_view server, std::vector<Entry> Page::*entries, Ask ask, Key key, Show show) {
  constexpr int kMostEmpty = 10'000;  // a server may walk over deleted entries, and find nothing
  std::string token;
  int empty = 0;
  std::optional<std::invoke_result_t<Key, const Entry&>> last;
  const auto lie = [&](absl::string_view what) {
    return absl::InternalError(absl::StrCat("server ", server, " gives out a list that ", what));
  };
  do {
    const auto page = ask(token);
    if (!page.ok()) return page.status();
    empty = ((*page).*entries).empty() ? empty + 1 : 0;
    if (empty > kMostEmpty) return lie(absl::StrCat("has ", empty, " empty pages in a row"));
    for (const Entry& entry : (*page).*entries) {
      if (last && !(*last < key(entry))) return lie("goes back");
      last = key(entry);
      show(entry);
    }
    if (!token.empty() && page->next_page_token == token) return lie("leads back to itself");
    token = page->next_page_token;
  } while (!token.empty());
  return absl::OkStatus();
}

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_PAGES_H_
