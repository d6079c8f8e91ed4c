#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_REFOLD_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_REFOLD_H_

// A session going on with another model takes along the values remembered by the rows. The new model's rows are made
// from the values, like from a series beginning with the first value; so the rows have taken fewer tokens than the
// session. The rows have a last forecast, so the next value has a surprise.
//
// Threading: any thread. The work takes some milliseconds a row.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/engine/engine.h"

namespace aaren::registrar {

// rows: `channels` valid rows of `from`. Internal if a device failed.
absl::StatusOr<std::string> Refold(const engine::Engine& from, const engine::Engine& to, uint32_t channels,
                                   absl::string_view rows);

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_REFOLD_H_
