#include "server/operate/admin/profile/folded_stacks.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/debugging/symbolize.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace aaren::admin {
namespace {

constexpr size_t kNameBytes = 160;  // the longest name: templates have names of pages

std::string Readable(std::string name) {
  if (name.size() > kNameBytes) name = absl::StrCat(name.substr(0, kNameBytes), "…");
  // In folded stacks a semicolon ends a frame, and a line ends a stack.
  return absl::StrReplaceAll(name, {{";", ":"}, {"\n", " "}});
}

std::string ThreadName(pid_t thread) {
  std::string name;
  std::getline(std::ifstream(absl::StrCat("/proc/self/task/", thread, "/comm")), name);
  return name.empty() ? "(ended)" : absl::StrReplaceAll(name, {{";", ":"}});
}

// The names of one profile's functions and threads, each looked up once.
class Names {
 public:
  const std::string& Function(const void* address) {
    const auto [found, is_new] = functions_.try_emplace(address);
    if (is_new) found->second = LookUp(address);
    return found->second;
  }

  const std::string& Thread(pid_t thread) {
    const auto [found, is_new] = threads_.try_emplace(thread);
    if (is_new) found->second = ThreadName(thread);
    return found->second;
  }

 private:
  static std::string LookUp(const void* address) {
    char name[4096];  // absl::Symbolize cuts a longer name
    // Without a symbol the file and the offset are left, in the form that addr2line takes.
    if (absl::Symbolize(address, name, sizeof(name))) return Readable(name);
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return Hex(reinterpret_cast<uint64_t>(address));
    const absl::string_view file = info.dli_fname;
    const auto offset = static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase);
    return absl::StrCat(file.substr(file.rfind('/') + 1), "+", Hex(static_cast<uint64_t>(offset)));
  }

  static std::string Hex(uint64_t number) { return absl::StrCat("0x", absl::Hex(number)); }

  absl::flat_hash_map<const void*, std::string> functions_;
  absl::flat_hash_map<pid_t, std::string> threads_;
};

// A return address lies behind the call, maybe behind the end of the function.
std::string StackOf(const CpuSample& sample, Names& names) {
  std::string stack = names.Thread(sample.thread);
  for (int i = sample.depth - 1; i >= 0; --i) {
    absl::StrAppend(&stack, ";", names.Function(static_cast<const char*>(sample.frames[i]) - (i > 0 ? 1 : 0)));
  }
  return stack;
}

}  // namespace

std::string FoldStacks(absl::Span<const CpuSample> samples, size_t most_bytes) {
  Names names;
  absl::flat_hash_map<std::string, size_t> counts;
  for (const CpuSample& sample : samples) ++counts[StackOf(sample, names)];
  std::vector<std::pair<std::string, size_t>> stacks(counts.begin(), counts.end());
  // Equal counts stand in order of text: a profile is always printed alike.
  std::sort(stacks.begin(), stacks.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string text;
  size_t others = 0;
  for (const auto& [stack, count] : stacks) {
    // Once a stack has no room, all rarer stacks count as others: the text is the beginning of the sorted list.
    if (others > 0 || text.size() + stack.size() > most_bytes) {
      others += count;
    } else {
      absl::StrAppend(&text, stack, " ", count, "\n");
    }
  }
  if (others > 0) absl::StrAppend(&text, "[other stacks] ", others, "\n");
  return text;
}

}  // namespace aaren::admin
