#ifndef AAREN_SERVER_REGISTRAR_REFOLD_H_
#define AAREN_SERVER_REGISTRAR_REFOLD_H_

// A session that goes on with another model takes along what it still knows of its series: its rows' values, of which
// the other model's rows are made. They are then what they would be if the series had begun with the first of these
// values; so they have taken fewer tokens than the session. Its last forecast is there, so the next value's surprise is
// known.
//
// Threading: any thread. It computes for some milliseconds a row.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/engine/engine.h"

namespace aaren::registrar {

// rows: `channels` rows of `from`, which it accepts. Internal if a device failed.
absl::StatusOr<std::string> Refold(const engine::Engine& from, const engine::Engine& to, uint32_t channels,
                                   absl::string_view rows);

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_REFOLD_H_
