#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_REFOLD_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_REFOLD_H_

// A session that goes on with another model takes along the values that its rows still have. The rows of the other
// model are made from these values, as if the series had begun with the first of the values; so the rows have taken
// fewer tokens than the session. The rows have a last forecast, so the next value has a surprise.
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
