#ifndef AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_

// The flags that say how far forecasts are refined by what their session has learned (README.md, "Two minutes").
// Threading: a plain value.

#include <string>

#include "aaren/client/session_options.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

struct RefinementFlags {
  std::string mix = "on", calibrate = "on", restrict = "on";

  // This outlives `flags`.
  void AddTo(command_line::Flags& flags);

  // Without a step the later ones are left out, too.
  client::Refinement Refinement() const;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_
