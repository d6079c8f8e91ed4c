#ifndef AAREN_MODEL_ENGINE_CPU_CLAIM_H_
#define AAREN_MODEL_ENGINE_CPU_CLAIM_H_

// A batch marks each row it works on, in the row, so that the next run with the same row is noticed without memory for
// a set. Every lane whose rows' headers are in this process's memory does so. Threading: plain functions.

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/engine/task.h"

namespace aaren::engine {

// InvalidArgument naming it.
absl::Status StaleSlot(Slot slot);

// Checks a run and marks its row, which is empty if its slot is stale. InvalidArgument saying what is wrong: the row is
// then as it was. The mark is task.claim(row), and stays until the batch is done.
absl::Status ClaimRow(const Task& task, const Run& run, absl::Span<std::byte> row);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CPU_CLAIM_H_
