#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_HISTORY_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_HISTORY_H_

// The History of a run: the latest actions on each session, the first broken promise, and counts of events. Threading:
// any thread.

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace aaren::soak {

class History {
 public:
  explicit History(uint64_t seed) : seed_(seed) {}

  template <typename... Parts>
  void Tell(const std::string& id, const Parts&... parts) {
    Keep(id, absl::StrCat(parts...));
  }

  // Notes a broken promise: `what` has the expected and the actual answer. The first is printed, with the history of
  // the session; an empty id means the server's.
  void Accuse(const std::string& id, const std::string& what);

  bool broken() const;

  void Count(const std::string& what, uint64_t by = 1);
  uint64_t counted(const std::string& what) const;
  std::string Counts() const;

 private:
  static constexpr size_t kLines = 200;  // for a session

  void Keep(const std::string& id, std::string line);

  const uint64_t seed_;
  const absl::Time began_ = absl::Now();
  mutable absl::Mutex mutex_;
  std::map<std::string, std::deque<std::string>> lines_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t> counts_ ABSL_GUARDED_BY(mutex_);
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_JUDGE_HISTORY_H_
