#include "server/sessions/registrar/list/page_token.h"

#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren::registrar {
namespace {

constexpr size_t kCheckDigits = 16;

// FNV-1a. It catches mistakes; who forges a token gains nothing but a page of what he may list anyway.
std::string Check(absl::string_view list, absl::string_view key) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : absl::StrCat(list, "\n", key)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

}  // namespace

std::string EncodePageToken(absl::string_view list, absl::string_view last_key) {
  return absl::WebSafeBase64Escape(absl::StrCat(Check(list, last_key), last_key));
}

std::optional<std::string> DecodePageToken(absl::string_view list, absl::string_view token) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text) || text.size() < kCheckDigits) return std::nullopt;
  std::string key = text.substr(kCheckDigits);
  if (!absl::StartsWith(key, list) || Check(list, key) != text.substr(0, kCheckDigits)) return std::nullopt;
  return key;
}

}  // namespace aaren::registrar
