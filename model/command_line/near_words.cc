#include "model/command_line/near_words.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::command_line {
namespace {

// The number of inserted, removed or changed letters that turn `a` into `b`.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Near is an edit, and a further edit for every four letters, or a word of at least three letters inside the other.
bool Near(absl::string_view word, absl::string_view candidate) {
  return EditDistance(word, candidate) <= 1 + std::min(word.size(), candidate.size()) / 4 ||
         (word.size() >= 3 && absl::StrContains(candidate, word)) ||
         (candidate.size() >= 3 && absl::StrContains(word, candidate));
}

}  // namespace

std::vector<std::string> NearWords(absl::string_view word, absl::Span<const std::string> candidates) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    if (Near(word, candidate)) near.emplace_back(EditDistance(word, candidate), candidate);
  }
  // Equal distances are sorted by name, so the suggestion does not depend on the order of the flags.
  std::sort(near.begin(), near.end());
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min<size_t>(3, near.size()); ++i) words.push_back(near[i].second);
  return words;
}

std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates) {
  const std::vector<std::string> near = NearWords(word, candidates);
  return near.empty() ? "" : absl::StrCat("; did you mean ", absl::StrJoin(near, " or "), "?");
}

}  // namespace aaren::command_line
