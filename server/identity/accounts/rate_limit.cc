#include "server/identity/accounts/rate_limit.h"

#include <algorithm>

namespace aaren::identity {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;  // from empty to full

}  // namespace

void RateLimit::Set(uint64_t per_second, int64_t now_ns) {
  const double cost = per_second == 0 ? 0 : static_cast<double>(kSecondNs) / static_cast<double>(per_second);
  // The list is read again after each change: a tenant whose rate stays the same keeps its debt.
  if (cost_ns_.exchange(cost, std::memory_order_relaxed) == cost) return;
  int64_t full = full_ns_.load(std::memory_order_relaxed);
  // After a change the bucket is empty at worst, a second from full.
  while (!full_ns_.compare_exchange_weak(full, std::min(full, now_ns + kSecondNs), std::memory_order_relaxed)) {
  }
}

int64_t RateLimit::WaitNs(int64_t now_ns) const {
  if (!limited()) return 0;
  // Strictly less than a second from full: something is left.
  return std::max<int64_t>(0, full_ns_.load(std::memory_order_relaxed) - now_ns - kSecondNs + 1);
}

void RateLimit::Charge(uint64_t things, int64_t now_ns) {
  const double cost = cost_ns_.load(std::memory_order_relaxed);
  if (cost == 0 || things == 0) return;
  const auto more = static_cast<int64_t>(cost * static_cast<double>(things));
  int64_t full = full_ns_.load(std::memory_order_relaxed);
  // A full bucket gains nothing by more waiting: the charge then counts from now.
  while (!full_ns_.compare_exchange_weak(full, std::max(full, now_ns) + more, std::memory_order_relaxed)) {
  }
}

bool RateLimit::TryTake(int64_t now_ns) {
  const auto cost = static_cast<int64_t>(cost_ns_.load(std::memory_order_relaxed));
  if (cost == 0) return true;
  int64_t full = full_ns_.load(std::memory_order_relaxed);
  do {
    // An empty bucket is a second from full. The charge must not lead beyond the empty bucket.
    if (full - now_ns > kSecondNs - cost) return false;
  } while (!full_ns_.compare_exchange_weak(full, std::max(full, now_ns) + cost, std::memory_order_relaxed));
  return true;
}

void RateLimit::GiveBack() {
  full_ns_.fetch_sub(static_cast<int64_t>(cost_ns_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
}

int64_t RateLimit::WaitForOneNs(int64_t now_ns) const {
  const auto cost = static_cast<int64_t>(cost_ns_.load(std::memory_order_relaxed));
  return std::max<int64_t>(0, full_ns_.load(std::memory_order_relaxed) - now_ns - kSecondNs + cost);
}

}  // namespace aaren::identity
