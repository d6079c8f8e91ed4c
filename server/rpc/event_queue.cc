#include "server/rpc/event_queue.h"

#include <grpc/support/time.h>

namespace aaren::rpc {
namespace {

constexpr int kMaxEventsPerDrain = 1024;

}  // namespace

bool EventQueue::Next(gpr_timespec deadline) {
  void* tag;
  bool ok;
  if (queue_->AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return false;
  static_cast<Event*>(tag)->Done(ok);
  return true;
}

bool EventQueue::Drain() {
  int handled = 0;
  while (handled < kMaxEventsPerDrain && Next(gpr_inf_past(GPR_CLOCK_MONOTONIC))) ++handled;
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
