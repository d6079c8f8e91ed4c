#include "server/operate/log/shown.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace aaren::log {
namespace {

bool Continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The bytes of the first character of `text`; 0 if `text` begins with no character, or with an invalid one by its first
// two bytes: overlong, a surrogate, or beyond U+10FFFF.
size_t CharacterBytes(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t bytes = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (bytes <= 1) return bytes;
  if (text.size() < bytes || !std::all_of(text.begin() + 1, text.begin() + static_cast<ptrdiff_t>(bytes), Continues))
    return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || beyond ? 0 : bytes;
}

// The control characters of ASCII, and of Latin-1 between both halves.
bool IsControl(absl::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

}  // namespace

std::string Shown(absl::string_view text, size_t most) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const size_t valid = CharacterBytes(text.substr(at));
    const absl::string_view character = text.substr(at, std::max<size_t>(1, valid));
    at += character.size();
    // The character would pass the limit, and is left out as a whole.
    if (at > most) return shown + "...";
    absl::StrAppend(&shown, valid == 0 || IsControl(character) ? absl::CHexEscape(character) : std::string(character));
  }
  return shown;
}

}  // namespace aaren::log
