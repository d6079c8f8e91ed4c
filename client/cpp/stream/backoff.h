#ifndef AAREN_CLIENT_CPP_STREAM_BACKOFF_H_
#define AAREN_CLIENT_CPP_STREAM_BACKOFF_H_

// A Backoff says how long to wait before the next attempt: initial, then `multiplier` times longer each time up to
// `max`. Each is spread by `jitter` so that the clients of a server that came back do not all arrive at once.
// Threading: a plain value.

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
