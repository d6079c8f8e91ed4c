#ifndef AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_

// The flags that say how far forecasts are refined by what their session has learned (README.md, "Two minutes").
// Threading: a plain value.

#include <string>

#include "aaren/client/session_options.h"
#include "absl/status/status.h"
#include "client/cli/flags/flags.h"

namespace aaren::cli {

struct RefinementFlags {
  std::string mix = "on", calibrate = "on", restrict = "on";

  // This outlives `flags`.
  void AddTo(Flags& flags);

  // INVALID_ARGUMENT, naming the flag that is neither on nor off.
  absl::Status Check() const;

  // Without a step the later ones are left out, too.
  client::Refinement Refinement() const;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_
