#ifndef AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_

// The flags for how far the session's learning refines forecasts (README.md, "Two minutes"). Threading: a plain
// value.

#include <string>

#include "aaren/client/session_options.h"
#include "model/command_line/flags.h"

namespace aaren::cli {

struct RefinementFlags {
  std::string mix = "on", calibrate = "on", restrict = "on";
  bool profile = false;  // the session's, from its creation on

  // The RefinementFlags outlive `flags`.
  void AddTo(command_line::Flags& flags);

  // Leaving a step out leaves the later steps out, too.
  client::Refinement Refinement() const;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_REFINEMENT_FLAGS_H_
