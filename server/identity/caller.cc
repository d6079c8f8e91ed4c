#include "server/identity/caller.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren::identity {
namespace {

constexpr std::array<absl::string_view, 3> kRoles = {"read", "stream", "admin"};
constexpr size_t kMaxTenantBytes = 128;  // every session's key begins with the tenant's name

}  // namespace

absl::string_view NameOf(Role role) { return kRoles[static_cast<size_t>(role)]; }

absl::StatusOr<Role> ParseRole(absl::string_view name) {
  const auto role = std::find(kRoles.begin(), kRoles.end(), name);
  if (role != kRoles.end()) return static_cast<Role>(role - kRoles.begin());
  return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no role; there are read, stream and admin"));
}

bool IsTenant(absl::string_view name) {
  // "*" stands for all other tenants in the list, and '/' ends the tenant in a session's key.
  return !name.empty() && name != "*" && name.size() <= kMaxTenantBytes && !absl::StrContains(name, '/') &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_isgraph(static_cast<unsigned char>(c)); });
}

}  // namespace aaren::identity
