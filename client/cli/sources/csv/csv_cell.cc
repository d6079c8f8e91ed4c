#include "client/cli/sources/csv/csv_cell.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/terminal/json.h"

namespace aaren::cli {
namespace {

constexpr absl::string_view kMissingWords[] = {
    "nan",    "-nan",      "+nan",     "na",        "<na>",    "n/a",         "#n/a",    "#na",       "null",
    "(null)", "none",      "nil",      "\\n",       "missing", "unavailable", "unknown", "undefined", "no data",
    "nodata", "void",      "nat",      "m",         "#div/0!", "#value!",     "#ref!",   "#num!",     "#null!",
    "#name?", "-nan(ind)", "nan(ind)", "nan(snan)", "1.#qnan", "-1.#qnan",    "1.#ind",  "-1.#ind",   "not available"};

// Blanks outside ASCII: no-break, thin, narrow no-break, and the mark of a byte order.
constexpr absl::string_view kBlanks[] = {"\xC2\xA0", "\xE2\x80\x89", "\xE2\x80\xAF", "\xEF\xBB\xBF", "\xE2\x80\x8B"};
constexpr absl::string_view kMarks[] = {"-", ".", "?", "*", "_", "\xE2\x80\x93", "\xE2\x80\x94", "\xE2\x80\xA6"};
constexpr absl::string_view kCurrencies[] = {"$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5"};
constexpr absl::string_view kMinus = "\xE2\x88\x92";

// 0x80 .. 0x9F of Windows-1252; the rest is Latin-1.
constexpr uint16_t kWindows1252[] = {0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                     0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
                                     0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                     0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

// True for an empty cell, too.
bool IsOnlyMarks(absl::string_view text) {
  while (!text.empty()) {
    const bool mark = std::any_of(std::begin(kMarks), std::end(kMarks),
                                  [&](absl::string_view one) { return absl::ConsumePrefix(&text, one); });
    if (!mark) return false;
  }
  return true;
}

bool IsMissing(absl::string_view text) {
  return IsOnlyMarks(text) || std::any_of(std::begin(kMissingWords), std::end(kMissingWords),
                                          [&](absl::string_view word) { return absl::EqualsIgnoreCase(text, word); });
}

// Parses a number with a decimal point, all of the text.
Cell ReadPlain(absl::string_view text, double& value) {
  // from_chars takes no plus. "+-1" stays no number.
  if (text.size() > 1 && text[1] != '-') absl::ConsumePrefix(&text, "+");
  double parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument || std::isnan(parsed))
    return Cell::kText;
  // from_chars gives no value for a number out of range; SimpleAtod gives 0 or infinity.
  if (error == std::errc::result_out_of_range && !absl::SimpleAtod(text, &parsed)) parsed = INFINITY;
  // Forecasts are floats: a number within a double's range may still be too large.
  if (!std::isfinite(static_cast<float>(parsed))) {
    return error == std::errc() && std::isinf(parsed) ? Cell::kInfinite : Cell::kTooLarge;
  }
  value = parsed;
  return Cell::kNumber;
}

// A number in ASCII without the text around: "−1 234,5 %" becomes "-1 234,5".
std::string Bare(absl::string_view text) {
  std::string bare;
  absl::ConsumeSuffix(&text, "%");
  text = Trimmed(text);
  for (absl::string_view sign : {absl::string_view("-"), kMinus}) {
    if (bare.empty() && absl::ConsumePrefix(&text, sign)) bare = "-";
  }
  for (absl::string_view currency : kCurrencies) {
    if (absl::ConsumePrefix(&text, currency)) break;
  }
  while (!text.empty()) {
    const bool blank = std::any_of(std::begin(kBlanks), std::end(kBlanks),
                                   [&](absl::string_view one) { return absl::ConsumePrefix(&text, one); });
    bare += blank ? ' ' : text.front();
    if (!blank) text.remove_prefix(1);
  }
  return bare;
}

// Where the exponent of a bare number begins, or the number ends.
size_t MantissaEnd(absl::string_view bare) { return std::min(bare.find_first_of("eE"), bare.size()); }

// The digits without the marks between groups; nothing if the groups are not of three.
std::optional<std::string> Ungrouped(absl::string_view whole, char thousands) {
  std::string digits;
  size_t group = 0, groups = 1;
  for (char c : whole) {
    if (c != thousands) {
      digits += c;
      group += absl::ascii_isdigit(c) ? 1 : 0;
      continue;
    }
    // The first group has one to three digits, each later group exactly three.
    if (groups == 1 ? group < 1 || group > 3 : group != 3) return {};
    group = 0;
    ++groups;
  }
  return groups == 1 || group == 3 ? std::optional(digits) : std::nullopt;
}

std::optional<std::string> Plain(absl::string_view bare, const NumberStyle& style) {
  const size_t end = MantissaEnd(bare);
  absl::string_view mantissa = bare.substr(0, end);
  const size_t mark = std::min(mantissa.find(style.decimal), mantissa.size());
  std::optional<std::string> plain = style.thousands == 0 ? std::optional(std::string(mantissa.substr(0, mark)))
                                                          : Ungrouped(mantissa.substr(0, mark), style.thousands);
  if (!plain) return {};
  if (mark < mantissa.size()) absl::StrAppend(&*plain, ".", mantissa.substr(mark + 1));
  absl::StrAppend(&*plain, bare.substr(end));
  return plain;
}

// How often the cells of a sample tell each mark.
struct Votes {
  int point = 0, comma = 0;                    // cells with this decimal mark, without doubt
  int point_or_group = 0, comma_or_group = 0;  // 1.234 and 1,234
  char group = 0;                              // a mark between groups, without doubt
};

// A mark that stands once, behind 1 to 3 digits and before exactly three, may stand between groups.
bool MayGroup(absl::string_view mantissa, size_t mark) {
  const absl::string_view before = absl::StripPrefix(mantissa.substr(0, mark), "-");
  return mantissa.size() - mark - 1 == 3 && !before.empty() && before.size() <= 3 && before != "0";
}

void Vote(absl::string_view mantissa, Votes& votes) {
  const auto points = std::count(mantissa.begin(), mantissa.end(), '.');
  const auto commas = std::count(mantissa.begin(), mantissa.end(), ',');
  for (char group : {' ', '\''}) {
    if (mantissa.find(group) != absl::string_view::npos) votes.group = group;
  }
  if (points > 0 && commas > 0) {
    // The later mark is the decimal mark.
    const bool comma = mantissa.rfind(',') > mantissa.rfind('.');
    ++(comma ? votes.comma : votes.point);
  } else if (points > 1 && Ungrouped(mantissa, '.')) {
    // A repeated mark stands between groups, and the decimal mark is the other.
    ++votes.comma;
  } else if (commas > 1 && Ungrouped(mantissa, ',')) {
    ++votes.point;
  } else if (points == 1) {
    // 1.234 may be a thousand or a decimal.
    ++(MayGroup(mantissa, mantissa.find('.')) ? votes.point_or_group : votes.point);
  } else if (commas == 1) {
    ++(MayGroup(mantissa, mantissa.find(',')) ? votes.comma_or_group : votes.comma);
  }
}

}  // namespace

Cell ReadCell(absl::string_view text, const NumberStyle& style, double& value) {
  text = absl::StripAsciiWhitespace(text);
  // Most cells are plain numbers, and need no cleaning.
  if (style.decimal == '.') {
    const Cell cell = ReadPlain(text, value);
    if (cell != Cell::kText) return cell;
  }
  const std::string readable = Readable(text);
  const absl::string_view trimmed = Trimmed(readable);
  if (IsMissing(trimmed)) return Cell::kMissing;
  const std::optional<std::string> plain = Plain(Bare(trimmed), style);
  return plain ? ReadPlain(*plain, value) : Cell::kText;
}

NumberStyle FindNumberStyle(absl::Span<const std::string> cells, bool comma_parts) {
  Votes votes;
  for (const std::string& cell : cells) {
    const std::string readable = Readable(cell);
    const std::string bare = Bare(Trimmed(readable));
    const absl::string_view mantissa = absl::string_view(bare).substr(0, MantissaEnd(bare));
    const bool number = !mantissa.empty() &&
                        mantissa.find_first_not_of("0123456789.,-+' ") == absl::string_view::npos &&
                        absl::ascii_isdigit(mantissa.back());
    if (number) Vote(mantissa, votes);
  }
  // Cells without doubt decide. Cells like 1.234 count only if all cells are in doubt.
  if (votes.comma > votes.point) return {',', votes.group != 0 ? votes.group : '.'};
  if (votes.point > 0) return {'.', votes.group != 0 ? votes.group : ','};
  if (votes.comma_or_group > 0 && votes.point_or_group == 0) {
    return comma_parts ? NumberStyle{'.', ','} : NumberStyle{',', votes.group};
  }
  return {'.', votes.group};
}

absl::string_view Trimmed(absl::string_view text) {
  // Blanks in ASCII and other blanks may alternate.
  for (bool more = true; more;) {
    text = absl::StripAsciiWhitespace(text);
    more = std::any_of(std::begin(kBlanks), std::end(kBlanks), [&](absl::string_view blank) {
      return absl::ConsumePrefix(&text, blank) || absl::ConsumeSuffix(&text, blank);
    });
  }
  return text;
}

std::string Readable(absl::string_view text) {
  if (std::all_of(text.begin(), text.end(), absl::ascii_isascii)) return std::string(text);
  std::string utf8 = ToUtf8(text);
  if (utf8 == text) return utf8;
  utf8.clear();
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    const uint32_t code = byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80] : byte;
    if (code < 0x80) {
      utf8 += c;
    } else if (code < 0x800) {
      utf8 += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
    } else {
      utf8 += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
               static_cast<char>(0x80 | (code & 0x3F))};
    }
  }
  return utf8;
}

std::string Excerpt(absl::string_view cell) {
  constexpr size_t kMost = 40;
  if (cell.size() <= kMost) return absl::StrCat("\"", Readable(cell), "\"");
  size_t end = kMost;
  while (end > kMost - 4 && (static_cast<uint8_t>(cell[end]) & 0xC0) == 0x80) --end;  // no half of a character
  return absl::StrCat("\"", Readable(cell.substr(0, end)), "…\"");
}

}  // namespace aaren::cli
