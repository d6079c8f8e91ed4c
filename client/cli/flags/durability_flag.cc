#include "client/cli/flags/durability_flag.h"

#include "absl/strings/str_cat.h"

namespace aaren::cli {

void DurabilityFlag::AddTo(Flags& flags) {
  flags.Add("durability", &name,
            "what the server saves: interval (its default; every so often), every_token (a forecast comes when it is\n"
            "saved, and no row is sent again for which there is one) or none");
}

absl::StatusOr<client::Durability> DurabilityFlag::Durability() const {
  if (name.empty()) return client::Durability::kServerDefault;
  if (name == "none") return client::Durability::kNone;
  if (name == "interval") return client::Durability::kInterval;
  if (name == "every_token") return client::Durability::kEveryToken;
  return absl::InvalidArgumentError(absl::StrCat("--durability=", name, " is none of none, interval and every_token"));
}

}  // namespace aaren::cli
