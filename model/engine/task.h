#ifndef AAREN_MODEL_ENGINE_TASK_H_
#define AAREN_MODEL_ENGINE_TASK_H_

// A Task is the CPU's part of an engine for one kind of model: the content of a row, and the treatment of a run's
// tokens. The engine itself (cpu/) knows batches, slots and lanes; a task knows series. ADDING_A_TASK.md tells how to
// add a task.
//
//   Submit ──► CheckRun, claim ──► Take(run) for each run ──► Begin ──► Done ... ──► Finish ──► the outputs are written
//
// A device computes from Begin to Finish; a CPU is done when Begin returns. Threading: a Task is immutable; each
// Scratch belongs to one thread. Nothing between CheckRun and Finish allocates or locks.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"

namespace aaren::engine {

class Task {
 public:
  // The memory through which a lane's tokens pass.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~Task() = default;
  virtual std::unique_ptr<Scratch> NewScratch() const = 0;

  // The work of Engine::Extended.
  virtual std::unique_ptr<Task> Extended(const Extension&) const { return nullptr; }

  // These functions do the work of Engine's functions of the same names.
  virtual size_t row_bytes() const = 0;
  virtual size_t result_floats() const = 0;
  virtual void ResetRow(absl::Span<std::byte> row) const = 0;
  virtual absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const = 0;
  virtual std::vector<double> Remembered(absl::Span<const std::byte> row) const = 0;
  virtual bool NewestResult(absl::Span<const std::byte> /*row*/, float* /*result*/) const { return false; }

  // How many leading bytes of a row the task itself reads and writes, a multiple of 64. The remaining bytes belong to
  // the task's network and lie where the network computes.
  virtual size_t task_bytes() const = 0;

  // A field of the row, which is 0 except while a batch works on the row.
  virtual uint64_t& claim(std::byte* row) const = 0;

  // InvalidArgument, naming the fault, if the run's inputs or the places for the run's outputs are wrong.
  virtual absl::Status CheckRun(const Run& run) const = 0;

  // Takes the run's tokens into the row, in order. A token that passes through the network may wait in the scratch
  // memory for tokens of other runs. REQUIRES: CheckRun accepted the run, the row stays in place until Finish, and
  // nothing is under way in the scratch memory.
  virtual void Take(const Run& run, std::byte* row, Scratch& scratch) const = 0;

  // Begin sends the waiting tokens through the network. Done is true once Finish would not block.
  virtual void Begin(Scratch& scratch) const = 0;
  virtual bool Done(Scratch& scratch) const = 0;

  // Completes all tokens that were taken. Internal if a device failed: rows and outputs may not be trusted.
  virtual absl::Status Finish(Scratch& scratch) const = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_TASK_H_
