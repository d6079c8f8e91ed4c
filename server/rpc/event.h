#ifndef AAREN_SERVER_RPC_EVENT_H_
#define AAREN_SERVER_RPC_EVENT_H_

// An Event is what a completion queue hands back when an operation ends: every tag of this server's queues is an
// Event*. Events live as members of the call they belong to, so that an operation allocates nothing.

namespace aaren::rpc {

class Event {
 public:
  // What streams under way read and write goes first. What begins and ends calls waits for that.
  enum class Turn { kFirst, kLater };

  // `ok` means what grpcpp/completion_queue.h says for the operation. May delete the event.
  virtual void Done(bool ok) = 0;

  Turn turn() const { return turn_; }

 protected:
  explicit Event(Turn turn) : turn_(turn) {}
  ~Event() = default;

 private:
  const Turn turn_;
};

// Calls a method of the call that owns it.
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

// Counts the calls that are alive on one queue; only that queue's thread touches it. A queue may be shut down at zero.
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

#endif  // AAREN_SERVER_RPC_EVENT_H_
