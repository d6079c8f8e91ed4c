#ifndef AAREN_MODEL_TRAINING_PROCESSES_H_
#define AAREN_MODEL_TRAINING_PROCESSES_H_

// Processes are the processes that train one model together, on one machine or several, as torchrun starts them. Each
// process computes its own rows of every batch; sums over all processes make the gradients of the whole batch. The
// processes speak by c10d, torch's library for that, over Gloo.
//
// Threading: one thread. Sum and Copy block until every process has called the same function with tensors of the same
// shapes; a process that ends makes the others throw c10::Error or std::exception, which the trainer's entrance turns
// into a status.

#include <torch/types.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"

namespace aaren::training {

class Processes {
 public:
  // Joins the processes that the environment names by RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; without WORLD_SIZE
  // the process is alone. GLOO_SOCKET_IFNAME chooses the network interface. InvalidArgument names a variable with a
  // wrong value; Unavailable if the others do not come; FailedPrecondition if the program was built without Gloo.
  static absl::StatusOr<std::unique_ptr<Processes>> FromEnvironment();

  virtual ~Processes() = default;
  virtual int rank() const = 0;   // 0 ... count - 1
  virtual int count() const = 0;  // 1 or more

  // Makes each tensor the sum of the processes' tensors, the same bits in every process.
  virtual void Sum(const std::vector<torch::Tensor>& tensors) const = 0;

  // Makes each tensor a copy of process 0's.
  virtual void Copy(const std::vector<torch::Tensor>& tensors) const = 0;
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROCESSES_H_
