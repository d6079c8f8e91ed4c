#include "server/operate/admin/settings_list.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "server/program/config/setting.h"
#include "server/program/version/version.h"

namespace aaren::admin {
namespace {

constexpr absl::string_view kScheme = "://";

std::string MaskedPart(absl::string_view part, bool is_address) {
  // The last @, since a password may contain the character.
  const size_t at = part.rfind('@'), scheme = part.find(kScheme);
  const bool is_url = scheme < at;
  if (at == absl::string_view::npos || !(is_url || is_address) || absl::StartsWith(part, "/")) return std::string(part);
  return absl::StrCat(part.substr(0, is_url ? scheme + kScheme.size() : 0), "***", part.substr(at));
}

}  // namespace

std::string Masked(absl::string_view setting, absl::string_view value) {
  // Elsewhere an @ is no secret's end: a model's name may have a label, as in name@canary.
  const bool is_address = setting == "redis" || setting == "trace_endpoint";
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(value, ',')) parts.push_back(MaskedPart(part, is_address));
  return absl::StrJoin(parts, ",");
}

void FillSettings(const config::ServerConfig& config, v1::GetSettingsResponse& response) {
  const config::ServerConfig defaults;
  // Taken from the descriptor: a new setting is listed by itself.
  const auto& fields = *config::ServerConfig::descriptor();
  for (int i = 0; i < fields.field_count(); ++i) {
    const config::Setting setting(*fields.field(i));
    v1::Setting& told = *response.add_settings();
    const std::string value = setting.ToText(config);
    told.set_name(setting.name());
    told.set_value(Masked(setting.name(), value));
    told.set_is_default(value == setting.ToText(defaults));
  }
  response.set_version(version::kVersion);
}

}  // namespace aaren::admin
