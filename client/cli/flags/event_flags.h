#ifndef AAREN_CLIENT_CLI_FLAGS_EVENT_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_EVENT_FLAGS_H_

// The flags of streams of events: what a forecast of events has, and the scale of new sessions. Threading: a plain
// value.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/session_options.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

// The scale of a session's first events.
struct EventScaleFlags {
  absl::Duration unit = absl::ZeroDuration(), resolution = absl::ZeroDuration();  // 0: unknown

  // The EventScaleFlags outlive `flags`.
  void AddTo(command_line::Flags& flags);

  client::EventScale Scale() const;
};

struct EventFlags {
  EventScaleFlags scale;
  uint32_t marks = 5;
  double overdue = 0;

  // The EventFlags outlive `flags`.
  void AddTo(command_line::Flags& flags);

  // INVALID_ARGUMENT, naming the flag.
  absl::Status Check() const;

  client::EventOutput Output() const;

  // The spans of "within" as the user wrote them.
  const std::vector<std::string>& spans() const { return spans_; }

 private:
  absl::Status SetSpans(const std::string& list);

  std::vector<std::string> spans_ = {"1m", "1h", "1d"};
  std::vector<double> spans_s_ = {60, 3600, 86400};
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_EVENT_FLAGS_H_
