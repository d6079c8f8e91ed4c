#include "client/cpp/messages/claims.h"

namespace aaren::client {
namespace {

// No server has run for longer.
constexpr absl::Duration kCentury = absl::Hours(24 * 36525);

}  // namespace

absl::Duration Claims::Time(absl::string_view field, uint64_t count, absl::Duration unit) {
  const auto most = static_cast<uint64_t>(kCentury / unit);
  return static_cast<int64_t>(Within<uint64_t>(field, count, 0, most)) * unit;
}

std::string Claims::Name(absl::string_view field, const std::string& name) {
  if (name.empty()) Deny(field, "\"\"", "a name");
  return name;
}

void Claims::Levels(absl::string_view field, absl::Span<const float> levels) {
  if (levels.empty() || levels.size() > kMaxLevels) {
    return Deny(field, absl::StrCat("of ", levels.size(), " levels"), absl::StrCat("1 .. ", kMaxLevels));
  }
  float below = 0;
  for (const float level : levels) {
    if (!(level > below && level < 1)) {
      return Deny(field, absl::StrCat(level, " behind ", below), "levels between 0 and 1 that ascend");
    }
    below = level;
  }
}

void Claims::Deny(absl::string_view field, absl::string_view value, absl::string_view expected) {
  status_.Update(absl::InternalError(
      absl::StrCat("server ", server_, " says ", message_, ".", field, " ", value, "; ", expected, " expected")));
}

}  // namespace aaren::client
