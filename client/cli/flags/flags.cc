#include "client/cli/flags/flags.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace aaren::cli {
namespace {

const std::string kNextLine = "\n" + std::string(23, ' ');  // of a flag's help

// The number of inserted, removed or changed letters that make one word the other.
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
  std::sort(near.begin(), near.end());
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min<size_t>(3, near.size()); ++i) words.push_back(near[i].second);
  return words;
}

std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates, absl::string_view prefix) {
  const std::vector<std::string> near = NearWords(word, candidates);
  if (near.empty()) return "";
  return absl::StrCat("; did you mean ", prefix, absl::StrJoin(near, absl::StrCat(" or ", prefix)), "?");
}

Flags::Flags(std::string usage, std::string summary) : usage_(std::move(usage)), summary_(std::move(summary)) {}

void Flags::AddFlag(Flag flag) { flags_.push_back(std::move(flag)); }

void Flags::Add(absl::string_view name, bool* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) { return absl::SimpleAtob(text, value); };
  AddFlag({std::string(name), std::string(help), "", true, set, "true or false"});
}

void Flags::Add(absl::string_view name, uint32_t* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) { return absl::SimpleAtoi(text, value); };
  AddFlag({std::string(name), std::string(help), absl::StrCat(*value), false, set, "a whole number, not negative"});
}

void Flags::Add(absl::string_view name, int64_t* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) { return absl::SimpleAtoi(text, value); };
  AddFlag({std::string(name), std::string(help), absl::StrCat(*value), false, set, "a whole number"});
}

void Flags::Add(absl::string_view name, double* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) { return absl::SimpleAtod(text, value); };
  AddFlag({std::string(name), std::string(help), absl::StrCat(*value), false, set, "a number"});
}

void Flags::Add(absl::string_view name, absl::Duration* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) {
    return absl::ParseDuration(text, value) && *value >= absl::ZeroDuration();
  };
  const std::string shown = *value == absl::InfiniteDuration() ? "" : absl::FormatDuration(*value);
  AddFlag({std::string(name), std::string(help), shown, false, set, "a duration like 500ms, 20s or 5m"});
}

void Flags::Add(absl::string_view name, std::string* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) {
    *value = std::string(text);
    return true;
  };
  AddFlag({std::string(name), std::string(help), *value, false, set, ""});
}

void Flags::Add(absl::string_view name, std::optional<int64_t>* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) { return absl::SimpleAtoi(text, &value->emplace()); };
  AddFlag({std::string(name), std::string(help), "", false, set, "a whole number"});
}

void Flags::Add(absl::string_view name, std::optional<double>* value, absl::string_view help) {
  const auto set = [value](absl::string_view text) { return absl::SimpleAtod(text, &value->emplace()); };
  AddFlag({std::string(name), std::string(help), "", false, set, "a number"});
}

void Flags::Add(absl::string_view name, std::vector<std::string>* values, absl::string_view help) {
  const auto set = [values](absl::string_view text) {
    values->emplace_back(text);
    return true;
  };
  AddFlag({std::string(name), std::string(help), "", false, set, ""});
}

const Flags::Flag* Flags::Find(absl::string_view name) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == flags_.end() ? nullptr : &*found;
}

absl::Status Flags::Unknown(absl::string_view name) const {
  std::vector<std::string> names;
  for (const Flag& flag : flags_) names.push_back(flag.name);
  const std::string near = DidYouMean(name, names, "--");
  return absl::InvalidArgumentError(
      absl::StrCat("unknown flag --", name, near.empty() ? "; --help lists the flags" : near));
}

absl::StatusOr<std::vector<std::string>> Flags::Parse(Arguments arguments) {
  std::vector<std::string> positional;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      help_ = true;
      return positional;
    }
    if (argument == "--") {
      positional.insert(positional.end(), arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    if (!absl::ConsumePrefix(&argument, "--")) {
      positional.emplace_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const absl::string_view name = argument.substr(0, equals);
    const Flag* flag = Find(name);
    if (flag == nullptr) return Unknown(name);
    absl::string_view value = "true";
    if (equals != absl::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (!flag->alone) {
      if (++i == arguments.size()) return absl::InvalidArgumentError(absl::StrCat("--", name, " needs a value"));
      value = arguments[i];
    }
    if (!flag->set(value)) {
      return absl::InvalidArgumentError(absl::StrCat("--", name, "=", value, " is not ", flag->kind));
    }
  }
  return positional;
}

std::string Flags::Help() const {
  std::string text = absl::StrCat(usage_, "\n\n", summary_, "\n\n");
  for (const Flag& flag : flags_) {
    absl::StrAppendFormat(&text, "  %-20s %s", absl::StrCat("--", flag.name),
                          absl::StrReplaceAll(flag.help, {{"\n", kNextLine}}));
    if (!flag.default_text.empty()) absl::StrAppend(&text, " (default ", flag.default_text, ")");
    text += '\n';
  }
  return text;
}

}  // namespace aaren::cli
