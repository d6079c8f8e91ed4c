#ifndef AAREN_SERVER_NET_RPC_EVENT_QUEUE_H_
#define AAREN_SERVER_NET_RPC_EVENT_QUEUE_H_

// An EventQueue is the completion queue of one shard as the shard's thread uses the queue: takes all waiting events
// without a wait, or sleeps until an event comes. Another thread ends a sleep with Wake; a Wake costs nothing while the
// owner is awake.
//
// gRPC reads sockets only while a thread looks at an empty queue, and a client sending one small message after
// another keeps this queue from being empty. Looks at a second, always empty queue read the sockets all the
// same.
//
// Threading: the owner's thread only, except Wake. With a baton, the owner is the holder of the baton. Other threads
// may take the baton while the queue asks gRPC.

#include <atomic>
#include <deque>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "grpcpp/alarm.h"
#include "grpcpp/completion_queue.h"
#include "server/net/rpc/baton.h"
#include "server/net/rpc/event.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class EventQueue {
 public:
  // `baton`: null where one thread does everything.
  EventQueue(std::unique_ptr<grpc::ServerCompletionQueue> queue, const session::Clock& clock, Baton* baton = nullptr)
      : queue_(std::move(queue)), clock_(clock), baton_(baton) {}

  // Handles the waiting events for about `at_most`: first events of Turn::kFirst, then the rest for as long. True if
  // any event came.
  bool Drain(absl::Duration at_most);

  // Sleeps until an event comes and is handled, Wake is called, or the time is over. `busy` is called once no Wake can
  // be missed any more; if `busy` returns true, Sleep returns at once.
  void Sleep(absl::Duration at_most, absl::FunctionRef<bool()> busy);

  // Waits for one event and handles it. False if no event came in time.
  bool Await(absl::Duration at_most);

  // Ends the sleep under way, if any.
  void Wake();

  // Handles the remaining events, and returns when the queue is empty for good. REQUIRES: no operation begins any more.
  void Shutdown();

  // False while a Wake is under way: the queue must not be shut down yet.
  bool quiet() const { return wakes_expected_ == 0; }

  grpc::ServerCompletionQueue& queue() { return *queue_; }

 private:
  struct Got {
    void* tag = nullptr;
    bool ok = false;
    bool any = false;  // an event came
  };
  static void Handle(const Got& got);
  bool HandleLater(absl::Duration at_most);
  Got Ask(grpc::CompletionQueue& queue, absl::Duration at_most);
  void ReadSockets();
  void OnWoken(bool) { --wakes_expected_; }

  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  grpc::CompletionQueue empty_;
  const session::Clock& clock_;
  Baton* const baton_;
  int64_t last_looks_ns_ = 0;
  std::deque<Got> later_;
  std::atomic<bool> asleep_{false};
  grpc::Alarm alarm_;       // set only by the thread that turned asleep_ off
  int wakes_expected_ = 0;  // alarms set that have not rung
  CallEvent<EventQueue> woken_{this, &EventQueue::OnWoken, Event::Turn::kFirst};
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_EVENT_QUEUE_H_
