#include "client/cpp/stream/backoff.h"

#include <algorithm>
#include <utility>

namespace aaren::client {

Backoff::Backoff(const BackoffOptions& options, std::function<double()> random)
    : options_(options), random_(std::move(random)), nominal_(options.initial) {}

absl::Duration Backoff::Next() {
  // Clients that lost their server together come back apart.
  const double spread = 1 + options_.jitter * (2 * random_() - 1);
  const absl::Duration wait = nominal_ * spread;
  nominal_ = std::min(nominal_ * options_.multiplier, options_.max);
  return wait;
}

}  // namespace aaren::client
