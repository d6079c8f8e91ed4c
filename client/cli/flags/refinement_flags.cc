#include "client/cli/flags/refinement_flags.h"

#include "absl/strings/str_cat.h"

namespace aaren::cli {

void RefinementFlags::AddTo(Flags& flags) {
  flags.Add("restrict", & restrict, "on, or off: forecasts may be what the series has never been, as below 0");
  flags.Add("calibrate", &calibrate,
            "on, or off: quantiles not corrected by the mistakes of earlier ones, nor restricted");
  flags.Add("mix", &mix, "on, or off: as the model makes them, not mixed with naive forecasts of the series either");
}

absl::Status RefinementFlags::Check() const {
  for (const auto& [name, value] : {std::pair("mix", &mix), {"calibrate", &calibrate}, {"restrict", & restrict}}) {
    if (*value == "on" || *value == "off") continue;
    return absl::InvalidArgumentError(absl::StrCat("--", name, "=", *value, " is neither on nor off"));
  }
  return absl::OkStatus();
}

client::Refinement RefinementFlags::Refinement() const {
  if (mix == "off") return client::Refinement::kNone;
  if (calibrate == "off") return client::Refinement::kUncalibrated;
  return restrict == "off" ? client::Refinement::kUnrestricted : client::Refinement::kFull;
}

}  // namespace aaren::cli
