#ifndef AAREN_CLIENT_PYTHON_MODULE_BATCH_H_
#define AAREN_CLIENT_PYTHON_MODULE_BATCH_H_

// A batch of many sessions, cut into groups. Several workers take the groups one after the other. Threads live as long
// as the call, so a fork finds no thread to lose.

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "client/python/module/worker.h"

namespace aaren::python {

// InvalidArgument, naming token and channel, if a value is infinite as a 32-bit float, or if a session occurs twice.
absl::Status CheckBatch(absl::Span<const Part> parts, const Arrays& arrays);

// Steps all parts: the first worker on the calling thread, each further worker on a thread of the batch. The calling
// thread asks `interrupted`. Takes the rows' locks. When an error comes, a session has taken all tokens if the
// session's run was done, and no token otherwise.
// REQUIRES: CheckBatch accepted the batch.
absl::Status RunBatch(absl::Span<const Part> parts, const Arrays& arrays,
                      absl::Span<const std::unique_ptr<Worker>> workers, absl::FunctionRef<bool()> interrupted);

}  // namespace aaren::python

#endif  // AAREN_CLIENT_PYTHON_MODULE_BATCH_H_
