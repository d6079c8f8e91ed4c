#include "server/machine/cores/cores.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/machine/cores/control_group.h"

namespace aaren::cores {
namespace {

// A control group's processor time, and the period for the time; 0: no limit.
struct Quota {
  double time = 0, period = 0;
};

// "max 100000" or "150000 100000" (version 2).
Quota ReadQuota(const std::string& file) {
  std::ifstream in(file);
  std::string time;
  Quota quota;
  if (!(in >> time >> quota.period) || !absl::SimpleAtod(time, &quota.time)) return {};
  return quota;
}

double ReadNumber(const std::string& file) {
  std::ifstream in(file);
  double number = 0;
  return in >> number ? number : 0;
}

// -1 and 100000, in two files (version 1).
Quota ReadOldQuota(const std::string& folder) {
  return {ReadNumber(folder + "cpu.cfs_quota_us"), ReadNumber(folder + "cpu.cfs_period_us")};
}

// Rounded up; 0 without a limit.
int CoresOf(const Quota& quota) {
  if (!(quota.time > 0) || !(quota.period > 0)) return 0;
  return static_cast<int>(std::min((quota.time + quota.period - 1) / quota.period, 1e6));
}

absl::Status Wrong(absl::string_view list, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("\"", list, "\" ", why));
}

// The first and the last of "4" or "0-3".
absl::StatusOr<std::pair<int, int>> ParseRange(absl::string_view range) {
  const std::pair<absl::string_view, absl::string_view> ends = absl::StrSplit(range, absl::MaxSplits('-', 1));
  int first = 0, last = 0;
  const bool one = range.find('-') == range.npos;
  if (!absl::SimpleAtoi(ends.first, &first) || !absl::SimpleAtoi(one ? ends.first : ends.second, &last) || first < 0 ||
      last < first || last >= CPU_SETSIZE) {
    return absl::InvalidArgumentError("is no list of cores such as 0-3,8");
  }
  return std::pair(first, last);
}

}  // namespace

std::vector<int> Allowed() {
  cpu_set_t set;
  std::vector<int> allowed;
  // cpu_set_t has room for 1,024 cores: on a larger machine the call fails.
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) allowed.push_back(core);
  }
  return allowed;
}

int Count(const std::string& root) {
  // The least limit holds, of this process and of every group around.
  int count = static_cast<int>(Allowed().size());
  for (const std::string& group : ControlGroups(root, "cpu")) {
    for (const Quota& quota : {ReadQuota(group + "cpu.max"), ReadOldQuota(group)}) {
      if (const int cores = CoresOf(quota); cores > 0) count = std::min(count, cores);
    }
  }
  return std::max(count, 1);
}

absl::StatusOr<std::vector<int>> ParseList(absl::string_view list, const std::vector<int>& allowed) {
  std::vector<int> cores;
  for (const absl::string_view range : absl::StrSplit(list, ',')) {
    const absl::StatusOr<std::pair<int, int>> ends = ParseRange(range);
    if (!ends.ok()) return Wrong(list, ends.status().message());
    for (int core = ends->first; core <= ends->second; ++core) {
      if (std::find(cores.begin(), cores.end(), core) != cores.end()) {
        return Wrong(list, absl::StrCat("names core ", core, " twice"));
      }
      if (std::find(allowed.begin(), allowed.end(), core) == allowed.end()) {
        return Wrong(list, absl::StrCat("names core ", core, ", which this process may not use"));
      }
      cores.push_back(core);
    }
  }
  return cores;
}

absl::Status KeepTo(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(core), &set);
  if (const int error = pthread_setaffinity_np(pthread_self(), sizeof(set), &set); error != 0) {
    return absl::ErrnoToStatus(error, absl::StrCat("core ", core));
  }
  return absl::OkStatus();
}

}  // namespace aaren::cores
