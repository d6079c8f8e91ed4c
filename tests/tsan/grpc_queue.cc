// Shows ThreadSanitizer what a completion queue orders: what a thread did before it began an operation comes before
// what another does with that operation's tag. gRPC is not instrumented, and its queues have no lock. See
// absl_locks.cc.

#include <grpc/grpc.h>
#include <sanitizer/tsan_interface.h>

#include "tests/tsan/next_symbol.h"

grpc_call_error grpc_call_start_batch(grpc_call* call, const grpc_op* ops, size_t count, void* tag, void* reserved) {
  static const auto real = aaren::NextSymbol<decltype(&grpc_call_start_batch)>("grpc_call_start_batch");
  __tsan_release(tag);
  return real(call, ops, count, tag, reserved);
}

grpc_event grpc_completion_queue_next(grpc_completion_queue* queue, gpr_timespec deadline, void* reserved) {
  static const auto real = aaren::NextSymbol<decltype(&grpc_completion_queue_next)>("grpc_completion_queue_next");
  const grpc_event event = real(queue, deadline, reserved);
  if (event.type == GRPC_OP_COMPLETE) __tsan_acquire(event.tag);
  return event;
}
