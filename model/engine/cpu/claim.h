#ifndef AAREN_MODEL_ENGINE_CPU_CLAIM_H_
#define AAREN_MODEL_ENGINE_CPU_CLAIM_H_

// A batch claims each row that it works on by a mark in the row. A second run with the same row is noticed without
// memory for a set. Every lane whose row headers lie in this process's memory claims rows. Threading: plain functions.

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/engine/task.h"

namespace aaren::engine {

// InvalidArgument naming the slot.
absl::Status StaleSlot(Slot slot);

// Checks a run and marks its row with task.claim(row). `row` is empty if the slot is stale. The mark stays until the
// batch is done. InvalidArgument, naming the fault, if the run cannot be stepped; then the row is unchanged.
absl::Status ClaimRow(const Task& task, const Run& run, absl::Span<std::byte> row);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CPU_CLAIM_H_
