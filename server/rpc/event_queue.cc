#include "server/rpc/event_queue.h"

#include <grpc/support/time.h>

namespace aaren::rpc {
namespace {

constexpr int kMaxEventsPerDrain = 1024;
constexpr int kEventsPerLook = 16;  // at the clock

}  // namespace

bool EventQueue::Next(gpr_timespec deadline) {
  void* tag;
  bool ok;
  if (queue_->AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return false;
  static_cast<Event*>(tag)->Done(ok);
  return true;
}

bool EventQueue::Drain(absl::Duration at_most) {
  int64_t deadline = 0;  // the clock is read only where there are many events
  int handled = 0;
  while (handled < kMaxEventsPerDrain && Next(gpr_inf_past(GPR_CLOCK_MONOTONIC))) {
    if (++handled % kEventsPerLook != 0) continue;
    const int64_t now = clock_.NowNanos();
    if (deadline == 0) deadline = now + absl::ToInt64Nanoseconds(at_most);
    if (now >= deadline) break;
  }
  return handled > 0;
}

void EventQueue::Sleep(absl::Duration at_most, absl::FunctionRef<bool()> busy) {
  if (!quiet()) return;
  asleep_ = true;
  if (!busy()) {
    const gpr_timespec time = gpr_time_from_micros(absl::ToInt64Microseconds(at_most), GPR_TIMESPAN);
    Next(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), time));
  }
  if (!asleep_.exchange(false)) ++wakes_expected_;  // somebody called Wake: its alarm has rung or will
}

void EventQueue::Wake() {
  if (asleep_.exchange(false)) alarm_.Set(queue_.get(), gpr_now(GPR_CLOCK_MONOTONIC), static_cast<Event*>(&woken_));
}

void EventQueue::Shutdown() {
  queue_->Shutdown();
  void* tag;
  bool ok;
  while (queue_->Next(&tag, &ok)) static_cast<Event*>(tag)->Done(ok);
}

}  // namespace aaren::rpc
