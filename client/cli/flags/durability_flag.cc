#include "client/cli/flags/durability_flag.h"

namespace aaren::cli {

void DurabilityFlag::AddTo(command_line::Flags& flags) {
  flags
      .Add("durability", &name,
           "what the server saves: interval (its default; every so often), every_token (a forecast comes when it is\n"
           "saved, and no row is sent again for which there is one) or none")
      .OneOf({"none", "interval", "every_token"});
}

client::Durability DurabilityFlag::Durability() const {
  if (name == "none") return client::Durability::kNone;
  if (name == "interval") return client::Durability::kInterval;
  return name == "every_token" ? client::Durability::kEveryToken : client::Durability::kServerDefault;
}

}  // namespace aaren::cli
