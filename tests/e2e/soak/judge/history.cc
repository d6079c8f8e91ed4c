#include "tests/e2e/soak/judge/history.h"

#include <cinttypes>
#include <cstdio>
#include <utility>

namespace aaren::soak {

void History::Keep(const std::string& id, std::string line) {
  absl::MutexLock lock(&mutex_);
  std::deque<std::string>& lines = lines_[id];
  lines.push_back(absl::StrFormat("%9.3f  %s", absl::ToDoubleSeconds(absl::Now() - began_), line));
  if (lines.size() > kLines) lines.pop_front();
}

void History::Accuse(const std::string& id, const std::string& what) {
  absl::MutexLock lock(&mutex_);
  if (std::exchange(broken_, true)) return;
  std::printf("what was done to session '%s':\n", id.c_str());
  for (const std::string& line : lines_[id]) std::printf("  %s\n", line.c_str());
  std::printf("BROKEN  seed %" PRIu64 ", session '%s', after %.3f s: %s\n", seed_, id.c_str(),
              absl::ToDoubleSeconds(absl::Now() - began_), what.c_str());
  std::fflush(stdout);
}

bool History::broken() const {
  absl::MutexLock lock(&mutex_);
  return broken_;
}

void History::Count(const std::string& what, uint64_t by) {
  absl::MutexLock lock(&mutex_);
  counts_[what] += by;
}

uint64_t History::counted(const std::string& what) const {
  absl::MutexLock lock(&mutex_);
  const auto found = counts_.find(what);
  return found == counts_.end() ? 0 : found->second;
}

std::string History::Counts() const {
  absl::MutexLock lock(&mutex_);
  std::string text;
  for (const auto& [what, count] : counts_) absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", what);
  return text;
}

}  // namespace aaren::soak
