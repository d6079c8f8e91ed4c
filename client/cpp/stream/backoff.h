#ifndef AAREN_CLIENT_CPP_STREAM_BACKOFF_H_
#define AAREN_CLIENT_CPP_STREAM_BACKOFF_H_

// A Backoff gives the wait before the next attempt: initial, then `multiplier` times longer each time up to `max`.
// Each wait is spread by `jitter`, lest all clients of a restarted server arrive at once. Threading: a plain
// value.

#include <functional>

#include "aaren/client/client.h"
#include "absl/time/time.h"

namespace aaren::client {

class Backoff {
 public:
  // `random` is uniform in [0, 1).
  Backoff(const BackoffOptions& options, std::function<double()> random);

  absl::Duration Next();
  void Reset() { nominal_ = options_.initial; }

 private:
  BackoffOptions options_;
  std::function<double()> random_;
  absl::Duration nominal_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_BACKOFF_H_
