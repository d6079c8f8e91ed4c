#include "client/cli/flags/refinement_flags.h"

#include <vector>

namespace aaren::cli {

void RefinementFlags::AddTo(command_line::Flags& flags) {
  const std::vector<std::string> choices = {"on", "off"};
  flags.Add("restrict", & restrict, "on, or off: forecasts may be what the series has never been, as below 0")
      .OneOf(choices);
  flags
      .Add("calibrate", &calibrate,
           "on, or off: quantiles not corrected by the mistakes of earlier ones, nor restricted")
      .OneOf(choices);
  flags.Add("mix", &mix, "on, or off: as the model makes them, not mixed with naive forecasts of the series either")
      .OneOf(choices);
  flags.Add("profile", &profile,
            "also forecast the series less the average course of its season: better where a season of up to 336 rows\n"
            "repeats for weeks, for 2.4 times the server's time; a new session keeps the choice for life");
}

client::Refinement RefinementFlags::Refinement() const {
  // Each step builds on the step before: without an earlier step the later steps go, too.
  if (mix == "off") return client::Refinement::kNone;
  if (calibrate == "off") return client::Refinement::kUncalibrated;
  return restrict == "off" ? client::Refinement::kUnrestricted : client::Refinement::kFull;
}

}  // namespace aaren::cli
