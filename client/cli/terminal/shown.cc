#include "client/cli/terminal/shown.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal/json.h"

namespace aaren::cli {
namespace {

struct Range {
  uint32_t first, last;
};

// Controls (Cc), separators of lines (Zl, Zp), formats (Cf) without a glyph, and letters that are blank. In ascending
// order, for a search by halves.
constexpr Range kInvisible[] = {
    {0x0, 0x1F},      {0x7F, 0x9F},     {0xAD, 0xAD},     {0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},
    {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF9, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

bool IsInvisible(uint32_t c) {
  const auto* range = std::lower_bound(std::begin(kInvisible), std::end(kInvisible), c,
                                       [](const Range& range, uint32_t c) { return range.last < c; });
  return range != std::end(kInvisible) && range->first <= c;
}

size_t BytesOf(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Takes a character off valid UTF-8.
uint32_t Take(absl::string_view& utf8, absl::string_view& bytes) {
  bytes = utf8.substr(0, BytesOf(utf8.front()));
  utf8.remove_prefix(bytes.size());
  uint32_t c = static_cast<uint8_t>(bytes.front()) & (bytes.size() == 1 ? 0x7F : 0xFF >> (bytes.size() + 1));
  for (const char next : bytes.substr(1)) c = c << 6 | (static_cast<uint8_t>(next) & 0x3F);
  return c;
}

template <typename Escape>
std::string Escaped(absl::string_view utf8, Escape escape) {
  std::string out;
  absl::string_view bytes;
  while (!utf8.empty()) {
    const uint32_t c = Take(utf8, bytes);
    absl::StrAppend(&out, IsInvisible(c) ? escape(c) : std::string(bytes));
  }
  return out;
}

// The C library knows the widths, in a locale with UTF-8; without such a locale every character is one wide.
class Widths {
 public:
  // The thread has this locale for the object's life only: printf goes on in the user's locale.
  Widths() : before_(locale() == locale_t() ? locale_t() : uselocale(locale())) {}
  ~Widths() {
    if (before_ != locale_t()) uselocale(before_);
  }
  Widths(const Widths&) = delete;
  Widths& operator=(const Widths&) = delete;

  size_t Of(uint32_t c) const {
    const int width = before_ == locale_t() ? 1 : wcwidth(static_cast<wchar_t>(c));
    // A character unknown to the C library is taken for one column.
    return width < 0 ? 1 : static_cast<size_t>(width);
  }

 private:
  static locale_t locale() {
    static const locale_t kLocale = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t());
    return kLocale;
  }

  const locale_t before_;
};

}  // namespace

std::string Shown(absl::string_view text) {
  return Escaped(ToUtf8(text), [](uint32_t c) {
    return c < 0x100     ? absl::StrFormat("\\x%02x", c)
           : c < 0x10000 ? absl::StrFormat("\\u%04x", c)
                         : absl::StrFormat("\\U%08x", c);
  });
}

size_t Columns(absl::string_view shown) {
  const Widths widths;
  size_t columns = 0;
  for (absl::string_view bytes; !shown.empty();) columns += widths.Of(Take(shown, bytes));
  return columns;
}

std::string Cut(absl::string_view shown, size_t columns) {
  const Widths widths;
  size_t used = 0;
  absl::string_view rest = shown;
  for (absl::string_view bytes; !rest.empty();) {
    absl::string_view behind = rest;
    used += widths.Of(Take(behind, bytes));
    if (used > columns) break;
    rest = behind;
  }
  return std::string(shown.substr(0, shown.size() - rest.size()));
}

std::string Padded(absl::string_view text, size_t columns) {
  std::string shown = Shown(text);
  shown.append(columns - std::min(columns, Columns(shown)), ' ');
  return shown;
}

std::string EscapedJson(absl::string_view json) {
  return Escaped(json, [](uint32_t c) {
    if (c < 0x10000) return absl::StrFormat("\\u%04x", c);
    // JSON writes characters beyond U+FFFF as pairs of surrogates.
    const uint32_t above = c - 0x10000;
    return absl::StrFormat("\\u%04x\\u%04x", 0xD800 | above >> 10, 0xDC00 | (above & 0x3FF));
  });
}

}  // namespace aaren::cli
