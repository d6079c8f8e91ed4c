#include "server/net/rpc/event_queue.h"

#include <grpc/support/time.h>

namespace aaren::rpc {
namespace {

constexpr int kMaxEventsPerDrain = 1024;  // then mail and steps have their turn
constexpr int kEventsPerLook = 16;        // events between two looks at the clock
// Each look at an empty queue lets gRPC do one thing that waits at a socket: accept, shake hands, read a frame. Not
// every such thing ends in an event. Hence a busy thread looks several times every millisecond, or a handshake would
// never get done.
constexpr int kLooks = 16;
constexpr int64_t kBetweenLooksNanos = 1'000'000;

}  // namespace

EventQueue::Got EventQueue::Ask(grpc::CompletionQueue& queue, absl::Duration at_most) {
  Got got;
  const auto ask = [&] {
    const gpr_timespec deadline =
        at_most > absl::ZeroDuration()
            ? gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                           gpr_time_from_micros(absl::ToInt64Microseconds(at_most), GPR_TIMESPAN))
            : gpr_inf_past(GPR_CLOCK_MONOTONIC);
    got.any = queue.AsyncNext(&got.tag, &got.ok, deadline) == grpc::CompletionQueue::GOT_EVENT;
  };
  if (baton_ != nullptr) {
    baton_->Lend(at_most, ask);
  } else {
    ask();
  }
  return got;
}

void EventQueue::Handle(const Got& got) { static_cast<Event*>(got.tag)->Done(got.ok); }

bool EventQueue::Await(absl::Duration at_most) {
  const Got got = Ask(*queue_, at_most);
  if (got.any) Handle(got);
  return got.any;
}

void EventQueue::ReadSockets() {
  for (int i = 0; i < kLooks && clock_.NowNanos() - last_looks_ns_ < kBetweenLooksNanos; ++i) {
    Ask(empty_, absl::ZeroDuration());
  }
}

bool EventQueue::Drain(absl::Duration at_most) {
  int handled = 0;
  const int64_t began = clock_.NowNanos();
  if (began - last_looks_ns_ >= kBetweenLooksNanos) {
    last_looks_ns_ = began;
    ReadSockets();
  }
  for (Got got = Ask(*queue_, absl::ZeroDuration()); got.any; got = Ask(*queue_, absl::ZeroDuration())) {
    if (static_cast<Event*>(got.tag)->turn() == Event::Turn::kFirst) {
      Handle(got);
    } else {
      later_.push_back(got);
    }
    if (++handled == kMaxEventsPerDrain) break;
    if (handled % kEventsPerLook == 0 && clock_.NowNanos() - began >= absl::ToInt64Nanoseconds(at_most)) break;
  }
  return HandleLater(at_most) || handled > 0;
}

bool EventQueue::HandleLater(absl::Duration at_most) {
  if (later_.empty()) return false;
  const int64_t end_ns = clock_.NowNanos() + absl::ToInt64Nanoseconds(at_most);
  do {
    const Got got = later_.front();
    later_.pop_front();
    Handle(got);
  } while (!later_.empty() && clock_.NowNanos() < end_ns);
  return true;
}

void EventQueue::Sleep(absl::Duration at_most, absl::FunctionRef<bool()> busy) {
  if (!quiet()) return;
  asleep_ = true;
  if (!busy()) Await(at_most);
  if (!asleep_.exchange(false)) ++wakes_expected_;  // another thread called Wake: the alarm has rung or will ring
}

void EventQueue::Wake() {
  // An alarm of the past rings within Set. An alarm of now would wait up to a millisecond for gRPC's timer thread, and
  // on a busy machine that thread forgets an alarm now and then.
  if (!asleep_.exchange(false)) return;
  alarm_.Set(queue_.get(), gpr_inf_past(GPR_CLOCK_MONOTONIC), static_cast<Event*>(&woken_));
}

void EventQueue::Shutdown() {
  while (HandleLater(absl::Seconds(1))) {
  }
  queue_->Shutdown();
  void* tag;
  bool ok;
  while (queue_->Next(&tag, &ok)) static_cast<Event*>(tag)->Done(ok);
  empty_.Shutdown();
  while (empty_.Next(&tag, &ok)) {
  }
}

}  // namespace aaren::rpc
