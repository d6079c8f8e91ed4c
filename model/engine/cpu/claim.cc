#include "model/engine/cpu/claim.h"

#include "absl/strings/str_cat.h"

namespace aaren::engine {

absl::Status StaleSlot(Slot slot) {
  return absl::InvalidArgumentError(absl::StrCat("slot ", slot.index, " of generation ", slot.generation, " is stale"));
}

absl::Status ClaimRow(const Task& task, const Run& run, absl::Span<std::byte> row) {
  // All other checks come before the mark, so a refused run leaves no mark behind.
  if (row.empty()) return StaleSlot(run.slot);
  if (run.values.empty()) return absl::InvalidArgumentError("has no tokens");
  if (absl::Status status = task.CheckRun(run); !status.ok()) return status;
  uint64_t& claimed = task.claim(row.data());
  if (claimed != 0) {
    return absl::InvalidArgumentError(absl::StrCat("slot ", run.slot.index, " is in an earlier run too"));
  }
  claimed = 1;
  return absl::OkStatus();
}

}  // namespace aaren::engine
