#include "server/rpc/event_queue.h"

#include <grpc/support/time.h>

namespace aaren::rpc {
namespace {

constexpr int kMaxEventsPerDrain = 1024;
constexpr int kEventsPerLook = 16;  // at the clock
// Each look at an empty queue lets gRPC do one thing that waits at a socket: accept, shake hands, read a frame. Not all
// of that ends in an event, so a thread that is busy otherwise must look more than once, every millisecond, to get
// anywhere.
constexpr int kLooks = 16;
constexpr int64_t kBetweenLooksNanos = 1'000'000;

}  // namespace

bool EventQueue::Next(gpr_timespec deadline) {
  void* tag;
  bool ok;
  if (queue_->AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return false;
  static_cast<Event*>(tag)->Done(ok);
  return true;
}

void EventQueue::ReadSockets() {
  void* tag;
  bool ok;
  for (int i = 0; i < kLooks && clock_.NowNanos() - last_looks_ns_ < kBetweenLooksNanos; ++i) {
    empty_.AsyncNext(&tag, &ok, gpr_inf_past(GPR_CLOCK_MONOTONIC));
  }
}

bool EventQueue::Drain(absl::Duration at_most) {
  int handled = 0;
  const int64_t began = clock_.NowNanos();
  if (began - last_looks_ns_ >= kBetweenLooksNanos) {
    last_looks_ns_ = began;
    ReadSockets();
  }
  while (handled < kMaxEventsPerDrain && Next(gpr_inf_past(GPR_CLOCK_MONOTONIC))) {
    if (++handled % kEventsPerLook != 0) continue;
    if (clock_.NowNanos() - began >= absl::ToInt64Nanoseconds(at_most)) break;
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
  empty_.Shutdown();
  while (empty_.Next(&tag, &ok)) {
  }
}

}  // namespace aaren::rpc
