#ifndef AAREN_SERVER_NET_RPC_EVENT_H_
#define AAREN_SERVER_NET_RPC_EVENT_H_

// An Event hears the end of an operation of gRPC: every tag in the server's completion queues is an Event*. An event
// lives as a member of the call that owns the event, and an operation allocates nothing.

namespace aaren::rpc {

class Event {
 public:
  // Reads and writes of streams under way go first. Beginnings and ends of calls wait.
  enum class Turn { kFirst, kLater };

  // `ok` has the meaning that grpcpp/completion_queue.h gives for the operation. May delete the event.
  virtual void Done(bool ok) = 0;

  Turn turn() const { return turn_; }

 protected:
  explicit Event(Turn turn) : turn_(turn) {}
  ~Event() = default;

 private:
  const Turn turn_;
};

// Calls a method of the owning call.
template <typename Call>
class CallEvent final : public Event {
 public:
  using Method = void (Call::*)(bool ok);

  CallEvent(Call* call, Method method, Turn turn = Turn::kLater) : Event(turn), call_(call), method_(method) {}
  void Done(bool ok) override { (call_->*method_)(ok); }

 private:
  Call* call_;
  Method method_;
};

// Counts the living calls of one queue; only the queue's thread touches the count. A queue may be shut down at zero.
class CallCount {
 public:
  explicit CallCount(int& calls) : calls_(calls) { ++calls_; }
  ~CallCount() { --calls_; }
  CallCount(const CallCount&) = delete;
  CallCount& operator=(const CallCount&) = delete;

 private:
  int& calls_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_EVENT_H_
