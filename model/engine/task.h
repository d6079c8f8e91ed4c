#ifndef AAREN_MODEL_ENGINE_TASK_H_
#define AAREN_MODEL_ENGINE_TASK_H_

// A Task is what an engine of this process's CPU does for one kind of model: what a row remembers, and what becomes of
// a run's tokens. The engine itself (cpu/) knows batches, slots and lanes; a task knows series. ADDING_A_TASK.md tells
// how one is added.
//
//   Submit ──► CheckRun, claim ──► Take(run) for each run ──► Begin ──► Done ... ──► Finish ──► the outputs are written
//
// Where a device computes, it is at work from Begin to Finish; a CPU is done when Begin returns. Threading: immutable;
// a Scratch is of one thread. Nothing between CheckRun and Finish allocates or locks.

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
  // Memory that a lane's tokens go through.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~Task() = default;
  virtual std::unique_ptr<Scratch> NewScratch() const = 0;

  // As Engine's of these names.
  virtual size_t row_bytes() const = 0;
  virtual size_t result_floats() const = 0;
  virtual void ResetRow(absl::Span<std::byte> row) const = 0;
  virtual absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const = 0;
  virtual std::vector<float> Remembered(absl::Span<const std::byte> row) const = 0;

  // How many bytes of a row the task itself works on, a multiple of 64. The rest is its network's, and lies where that
  // computes.
  virtual size_t task_bytes() const = 0;

  // A field of the row that is 0, but while a batch works on it.
  virtual uint64_t& claim(std::byte* row) const = 0;

  // InvalidArgument saying what is wrong with the run's inputs or with the places for its outputs.
  virtual absl::Status CheckRun(const Run& run) const = 0;

  // Takes the run's tokens into the row, in order. What goes through the network may wait in the scratch memory for
  // tokens of other runs. REQUIRES: the run was checked; the row stays where it is until Finish; nothing is under way
  // in the scratch memory.
  virtual void Take(const Run& run, std::byte* row, Scratch& scratch) const = 0;

  // Sends what still waits on its way; Done: whether Finish would not block.
  virtual void Begin(Scratch& scratch) const = 0;
  virtual bool Done(Scratch& scratch) const = 0;

  // Does the rest of all that was taken. Internal if a device failed: rows and outputs are not to be trusted.
  virtual absl::Status Finish(Scratch& scratch) const = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_TASK_H_
