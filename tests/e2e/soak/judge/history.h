#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_HISTORY_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_HISTORY_H_

// The History of a run: what was done to each session, the latest of it, and the first promise that was broken. It also
// counts what happened. Threading: any thread.

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

  // Something broke a promise: `what` says what was expected and what came. The first one is printed, with what was
  // done to the session; an empty id is the server's.
  void Accuse(const std::string& id, const std::string& what);

  bool broken() const;

  void Count(const std::string& what, uint64_t by = 1);
  uint64_t counted(const std::string& what) const;
  std::string Counts() const;

 private:
  static constexpr size_t kLines = 200;  // of one session

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
