#include "client/cli/commands/debug/profile_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr size_t kMostFunctions = 40;

struct Stack {
  std::vector<absl::string_view> frames;  // the thread first
  uint64_t samples = 0;
};

std::optional<Stack> ParseLine(absl::string_view line) {
  // Names of functions have blanks: the count follows the last blank.
  const size_t space = line.rfind(' ');
  Stack stack;
  if (space == absl::string_view::npos || !absl::SimpleAtoi(line.substr(space + 1), &stack.samples)) return {};
  stack.frames = absl::StrSplit(line.substr(0, space), ';');
  return stack;
}

}  // namespace

std::vector<FunctionShare> FunctionShares(absl::string_view folded) {
  std::map<absl::string_view, FunctionShare> shares;
  for (const absl::string_view line : absl::StrSplit(folded, '\n', absl::SkipEmpty())) {
    const std::optional<Stack> stack = ParseLine(line);
    if (!stack) continue;
    shares[stack->frames.back()].own += stack->samples;
    std::set<absl::string_view> counted;  // a recursive function counts once
    // The first frame is the thread.
    for (size_t i = stack->frames.size() > 1 ? 1 : 0; i < stack->frames.size(); ++i) {
      if (counted.insert(stack->frames[i]).second) shares[stack->frames[i]].total += stack->samples;
    }
  }
  std::vector<FunctionShare> sorted;
  for (auto& [name, share] : shares) sorted.push_back({std::string(name), share.own, share.total});
  // Equal shares stay in order of name, the order of the map.
  std::stable_sort(sorted.begin(), sorted.end(), [](const FunctionShare& a, const FunctionShare& b) {
    return std::pair(b.own, b.total) < std::pair(a.own, a.total);
  });
  return sorted;
}

void PrintProfile(const client::CpuProfile& profile) {
  absl::PrintF("%d samples, one each %s of CPU time", profile.samples, absl::FormatDuration(profile.interval));
  if (profile.dropped > 0) absl::PrintF("; %d more found no room", profile.dropped);
  absl::PrintF("\n%6s %6s  %s\n", "own", "total", "function");
  const std::vector<FunctionShare> shares = FunctionShares(profile.folded);
  const double percent = profile.samples > 0 ? 100.0 / static_cast<double>(profile.samples) : 0;
  for (size_t i = 0; i < std::min(shares.size(), kMostFunctions); ++i) {
    PrintLine(absl::StrFormat("%5.1f%% %5.1f%%  %s", percent * static_cast<double>(shares[i].own),
                              percent * static_cast<double>(shares[i].total), shares[i].name));
  }
}

std::string ProfileToJson(absl::string_view folded) {
  std::string out;
  for (const absl::string_view line : absl::StrSplit(folded, '\n', absl::SkipEmpty())) {
    const std::optional<Stack> stack = ParseLine(line);
    if (!stack) continue;
    JsonObject object(out);
    object.Key("stack");
    out += '[';
    for (const absl::string_view frame : stack->frames) {
      if (out.back() != '[') out += ',';
      AppendJson(frame, out);
    }
    out += ']';
    object.Add("samples", stack->samples).CloseLine();
  }
  return out;
}

}  // namespace aaren::cli
