#ifndef AAREN_SERVER_NET_RPC_OPERATIONS_H_
#define AAREN_SERVER_NET_RPC_OPERATIONS_H_

// Operations are the operations of one call that gRPC has not ended yet. The call may be deleted when none is left:
// until then gRPC has pointers into the call. Threading: a plain value.

#include <cstdint>
#include <initializer_list>

namespace aaren::rpc {

class Operations {
 public:
  // kOver: gRPC tells that the call has ended, for instance because the client has gone (AsyncNotifyWhenDone).
  enum Kind : uint8_t { kAccept = 1, kRead = 2, kWrite = 4, kFinish = 8, kOver = 16 };

  // `from_the_start` will end in any case, whether begun yet or not.
  explicit Operations(std::initializer_list<Kind> from_the_start) {
    for (const Kind kind : from_the_start) Begin(kind);
  }

  void Begin(Kind kind) { under_way_ = static_cast<uint8_t>(under_way_ | kind); }
  void End(Kind kind) { under_way_ = static_cast<uint8_t>(under_way_ & ~kind); }

  bool has(Kind kind) const { return (under_way_ & kind) != 0; }
  bool has_io() const { return has(kRead) || has(kWrite); }
  bool none() const { return under_way_ == 0; }

 private:
  uint8_t under_way_ = 0;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_OPERATIONS_H_
