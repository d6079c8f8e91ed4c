#ifndef AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_SOURCE_H_
#define AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_SOURCE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/cli/commands/stream/stream_flags.h"
#include "client/cli/sources/events/event_series.h"
#include "client/cli/sources/row_source.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

// The source that the flags name. `series` is a series of a file of events; null for any other source. Both outlive
// the source, as does `interrupt`. The errors name the file.
absl::StatusOr<std::unique_ptr<RowSource>> OpenSource(const StreamFlags& stream, const EventSeries* series,
                                                      const Interrupt& interrupt);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_STREAM_STREAM_SOURCE_H_
