#ifndef AAREN_SERVER_OPERATE_LOG_LOG_RATE_H_
#define AAREN_SERVER_OPERATE_LOG_LOG_RATE_H_

// A LogRate bounds the lines of one event in a second: no client fills a disk with lines. The first line of a later
// second tells how many lines were left out. Threading: safe.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace aaren::log {

class LogRate {
 public:
  static constexpr uint64_t kLinesASecond = 100;

  // None: leave the line out. Else the number of lines of the event left out before. `now_ns` is monotonic. Events are
  // few: constants of the program.
  std::optional<uint64_t> Admit(std::string_view event, int64_t now_ns) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Second {
    int64_t begin_ns = 0;
    uint64_t lines = 0;
  };

  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Second> events_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::log

#endif  // AAREN_SERVER_OPERATE_LOG_LOG_RATE_H_
