// The list of callers, and any token: nobody is found in an empty list.

#include "server/identity/roster.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunRoster(absl::string_view bytes) {
  const auto roster = identity::Roster::Parse(bytes);
  if (!roster.ok()) return;
  const bool found = roster->FindToken(bytes).has_value() || roster->FindName(bytes.substr(0, 32)).has_value();
  Must(!found || roster->size() > 0, "somebody is found in an empty list");
}

}  // namespace aaren::fuzz
