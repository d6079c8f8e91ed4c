#include "client/cli/timestamp.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace aaren::cli {
namespace {

constexpr int64_t kNanos = 1'000'000'000;

// Takes pieces off the front of a text. Once one is missing, the scan has failed and stays so.
class Scanner {
 public:
  explicit Scanner(absl::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool done() const { return text_.empty(); }
  char peek() const { return text_.empty() ? '\0' : text_[0]; }

  bool Take(absl::string_view any_of) {
    if (text_.empty() || any_of.find(text_[0]) == absl::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }

  void Expect(absl::string_view any_of) { ok_ = Take(any_of) && ok_; }

  // A number of exactly `digits` digits, in [least, most].
  int Number(size_t digits, int least, int most) {
    int number = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (!absl::ascii_isdigit(peek())) {
        ok_ = false;
        return least;
      }
      number = 10 * number + (peek() - '0');
      text_.remove_prefix(1);
    }
    ok_ = ok_ && number >= least && number <= most;
    return number;
  }

  // Digits after a decimal point, as nanoseconds; those beyond the ninth are cut.
  int64_t Fraction() {
    ok_ = ok_ && absl::ascii_isdigit(peek());
    int64_t nanos = 0;
    for (int64_t unit = kNanos / 10; absl::ascii_isdigit(peek()); unit /= 10) {
      nanos += unit * (peek() - '0');
      text_.remove_prefix(1);
    }
    return nanos;
  }

 private:
  absl::string_view text_;
  bool ok_ = true;
};

struct Date {
  int year, month, day;
};

Date ScanDate(Scanner& scan, bool day_first) {
  Date date{};
  if (day_first) {
    date.day = scan.Number(2, 1, 31);
    scan.Expect(".");
    date.month = scan.Number(2, 1, 12);
    scan.Expect(".");
    date.year = scan.Number(4, 0, 9999);
  } else {
    date.year = scan.Number(4, 0, 9999);
    scan.Expect("-/");
    date.month = scan.Number(2, 1, 12);
    scan.Expect("-/");
    date.day = scan.Number(2, 1, 31);
  }
  return date;
}

// Nanoseconds after midnight UTC.
int64_t ScanClock(Scanner& scan) {
  int64_t seconds = int64_t{3600} * scan.Number(2, 0, 23);
  scan.Expect(":");
  seconds += int64_t{60} * scan.Number(2, 0, 59);
  if (scan.Take(":")) seconds += scan.Number(2, 0, 60);  // 60: a leap second
  const int64_t nanos = scan.Take(".") ? scan.Fraction() : 0;
  if (scan.peek() == '+' || scan.peek() == '-') {
    const int64_t sign = scan.Take("-") ? 1 : -1;
    scan.Take("+");
    seconds += sign * 3600 * scan.Number(2, 0, 23);
    scan.Take(":");
    seconds += sign * 60 * scan.Number(2, 0, 59);
  } else {
    scan.Take("Zz");
  }
  return seconds * kNanos + nanos;
}

// seconds * 1e9 + nanos, where that is an int64.
std::optional<int64_t> Nanoseconds(int64_t seconds, int64_t nanos) {
  int64_t result;
  if (__builtin_mul_overflow(seconds, kNanos, &result) || __builtin_add_overflow(result, nanos, &result)) return {};
  return result;
}

std::optional<int64_t> ParseCalendar(absl::string_view text) {
  Scanner scan(text);
  const Date date = ScanDate(scan, text.size() > 2 && text[2] == '.');
  int64_t nanos = 0;
  if (!scan.done()) {
    scan.Expect(" T");
    nanos = ScanClock(scan);
  }
  if (!scan.ok() || !scan.done()) return {};
  const absl::CivilDay day(date.year, date.month, date.day);
  if (day.day() != date.day) return {};  // normalised away: there is no such day
  return Nanoseconds((day - absl::CivilDay(1970, 1, 1)) * 86400, nanos);
}

}  // namespace

std::optional<int64_t> ParseTimestamp(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  int64_t seconds;
  if (absl::SimpleAtoi(text, &seconds)) return Nanoseconds(seconds, 0);
  return ParseCalendar(text);
}

std::string FormatTimestamp(int64_t time_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixNanos(time_ns), absl::UTCTimeZone());
}

}  // namespace aaren::cli
