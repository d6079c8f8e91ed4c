#ifndef AAREN_CLIENT_CPP_MESSAGES_CLAIMS_H_
#define AAREN_CLIENT_CPP_MESSAGES_CLAIMS_H_

// Claims are the numbers in a server's message. Each number is checked where the message becomes a value, and nowhere
// later: programs divide by such numbers, allocate by them and index with them. The first impossible number is kept as
// the status, and the value under construction goes on with a possible number.
//
//   Claims claims(server, "SessionInfo");
//   SessionInfo session{.next_seq = claims.Seq("next_seq", message.next_seq()), ...};
//   return claims.Made(std::move(session));   // INTERNAL: server HOST:PORT says SessionInfo.next_seq 2^63; ...
//
// The bounds are far beyond every server's numbers: a newer server is still believed. Threading: a plain value.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace aaren::client {

inline constexpr uint64_t kMaxSeq = uint64_t{1} << 62;  // sums of two seqs still fit
inline constexpr uint32_t kMaxChannels = 1 << 16;
inline constexpr uint32_t kMaxHorizon = 1 << 20;
inline constexpr size_t kMaxLevels = 256;

class Claims {
 public:
  // Both arguments outlive the Claims: the server's name in errors, and the message's.
  Claims(absl::string_view server, absl::string_view message) : server_(server), message_(message) {}

  // `value`, if within least .. most; else `least`. NaN is never within.
  template <typename T>
  T Within(absl::string_view field, T value, T least, T most) {
    if (value >= least && value <= most) return value;
    Deny(field, absl::StrCat(value), absl::StrCat(least, " .. ", most));
    return least;
  }

  uint64_t Seq(absl::string_view field, uint64_t seq) { return Within<uint64_t>(field, seq, 0, kMaxSeq); }
  uint64_t Count(absl::string_view field, uint64_t count) { return Within<uint64_t>(field, count, 0, INT64_MAX); }

  // `count` units of time: up to a century.
  absl::Duration Time(absl::string_view field, uint64_t count, absl::Duration unit);

  // A nonempty name.
  std::string Name(absl::string_view field, const std::string& name);

  // Levels of quantiles: at least one, each above the level before, above 0 and below 1.
  void Levels(absl::string_view field, absl::Span<const float> levels);

  void Deny(absl::string_view field, absl::string_view value, absl::string_view expected);

  const absl::Status& status() const { return status_; }

  // `value`, unless something was denied.
  template <typename T>
  absl::StatusOr<T> Made(T value) const {
    if (!status_.ok()) return status_;
    return value;
  }

 private:
  const absl::string_view server_;
  const absl::string_view message_;
  absl::Status status_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_MESSAGES_CLAIMS_H_
