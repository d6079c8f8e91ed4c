#ifndef AAREN_SERVER_RPC_EVENT_QUEUE_H_
#define AAREN_SERVER_RPC_EVENT_QUEUE_H_

// An EventQueue is the completion queue of one shard as its thread uses it: take all events that are there without
// waiting, or sleep until there is one. Another thread ends a sleep with Wake, which costs nothing while the owner is
// awake.
//
// gRPC reads sockets only while a thread looks at a queue that is empty, and a client that sends one small message
// after another keeps this one from being so. Looks at a second queue, which is always empty, read them all the same.
//
// Threading: the owner's thread only, except Wake. Where there is a baton, the owner is whoever holds it. Others may
// take it while gRPC is asked.

#include <atomic>
#include <deque>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "grpcpp/alarm.h"
#include "grpcpp/completion_queue.h"
#include "server/rpc/baton.h"
#include "server/rpc/event.h"
#include "server/session/clock.h"

namespace aaren::rpc {

class EventQueue {
 public:
  // `baton`: null where one thread does everything.
  EventQueue(std::unique_ptr<grpc::ServerCompletionQueue> queue, const session::Clock& clock, Baton* baton = nullptr)
      : queue_(std::move(queue)), clock_(clock), baton_(baton) {}

  // Handles the events that are there, for about so long at most; after those of Turn::kFirst the others, for as long.
  // True if there were any.
  bool Drain(absl::Duration at_most);

  // Sleeps until an event comes, which it handles, or Wake is called, or the time is over. `busy` is asked once a Wake
  // can no longer be missed: if it is true there is no sleep.
  void Sleep(absl::Duration at_most, absl::FunctionRef<bool()> busy);

  // Waits for an event, which it handles, and nothing else. False if there was none for so long.
  bool Await(absl::Duration at_most);

  // Ends the sleep under way, if there is one.
  void Wake();

  // Handles what is left, and returns when the queue is empty for good. REQUIRES: no operation begins any more.
  void Shutdown();

  // False while a Wake is under way: the queue must not be shut down yet.
  bool quiet() const { return wakes_expected_ == 0; }

  grpc::ServerCompletionQueue& queue() { return *queue_; }

 private:
  struct Got {
    void* tag = nullptr;
    bool ok = false;
    bool any = false;  // an event was there
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
  grpc::Alarm alarm_;       // set only by the one thread that turned asleep_ off
  int wakes_expected_ = 0;  // alarms that were set and have not rung
  CallEvent<EventQueue> woken_{this, &EventQueue::OnWoken, Event::Turn::kFirst};
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_EVENT_QUEUE_H_
