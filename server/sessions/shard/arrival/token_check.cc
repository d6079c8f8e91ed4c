#include "server/sessions/shard/arrival/token_check.h"

#include <cmath>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

std::string Indexed(absl::string_view field, size_t index) { return absl::StrCat("tokens.", field, "[", index, "]"); }

// No branch in the loop: the compiler vectorises the loop.
bool AnyInfinite(absl::Span<const float> values) {
  uint32_t infinite = 0;
  for (const float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    infinite |= static_cast<uint32_t>((bits & 0x7fffffffu) == 0x7f800000u);
  }
  return infinite != 0;
}

bool AnyInfinite(absl::Span<const double> values) {
  uint32_t infinite = 0;
  for (const double value : values) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    infinite |= static_cast<uint32_t>((bits & ~(uint64_t{1} << 63)) == uint64_t{0x7ff} << 52);
  }
  return infinite != 0;
}

template <typename T>
session::Refusal NameInfinite(absl::string_view field, absl::Span<const T> values, size_t skipped, uint32_t channels) {
  size_t i = skipped;
  while (!std::isinf(values[i])) ++i;
  return session::InvalidField(Indexed(field, i), absl::StrCat(values[i], " at token ", i / channels, ", channel ",
                                                               i % channels, "; missing values are NaN"));
}

std::optional<session::Refusal> CheckGivenTimes(absl::Span<const int64_t> times, uint32_t skip,
                                                store::TokenClock& clock) {
  for (size_t i = skip; i < times.size(); ++i) {
    if (times[i] < clock.last_time_ns) {
      return session::InvalidField(Indexed("times_ns", i), absl::StrCat(times[i], " is before ", clock.last_time_ns,
                                                                        ", the time of the token before"));
    }
    clock.Advance(times[i]);
  }
  return std::nullopt;
}

// The time of token `seq` by the session's rule; false if 64 bits cannot hold the time.
bool RegularTime(const session::Session& session, uint64_t seq, int64_t& time) {
  return !__builtin_mul_overflow(seq, session.regular_step_ns, &time) &&
         !__builtin_add_overflow(time, session.regular_start_ns, &time);
}

std::optional<session::Refusal> CheckRegularTimes(const session::Session& session, uint64_t first_seq,
                                                  uint64_t last_seq, store::TokenClock& clock) {
  int64_t first = 0, last = 0;
  if (!RegularTime(session, last_seq, last) || !RegularTime(session, first_seq, first)) {
    return session::InvalidField(
        "tokens.first_seq", absl::StrCat("the time of seq ", last_seq, " by regular_times, ", session.regular_start_ns,
                                         " + seq * ", session.regular_step_ns, ", is beyond 64 bits"));
  }
  if (first < clock.last_time_ns) {
    return session::InvalidField(
        "tokens.first_seq", absl::StrCat("the time of seq ", first_seq, " by regular_times, ", first, ", is before ",
                                         clock.last_time_ns, ", the time of the token before"));
  }
  clock = {last, session.regular_step_ns};
  return std::nullopt;
}

}  // namespace

std::optional<session::Refusal> CheckShape(const session::TokensView& tokens, const session::Session& session,
                                           uint32_t max_tokens) {
  const task::Conversion& conversion = *session.model->conversion;
  if (const std::optional<task::BadField> bad = conversion.CheckNumbers(tokens, session.channels, *session.plan)) {
    return session::InvalidField(*bad);
  }
  const uint64_t count = tokens.count(session.values_per_token());
  if (count > max_tokens) {
    return session::InvalidField("tokens.values",
                                 absl::StrCat(count, " tokens in one item, the limit is ", max_tokens));
  }
  if (tokens.times_ns.empty()) return std::nullopt;
  if (session.regular_times) {
    return session::InvalidField("tokens.times_ns", "the session was opened with regular_times: its tokens carry none");
  }
  if (tokens.times_ns.size() != count) {
    return session::InvalidField("tokens.times_ns",
                                 absl::StrCat(tokens.times_ns.size(), " times for ", count, " tokens"));
  }
  return std::nullopt;
}

std::optional<session::Refusal> CheckPlace(const session::TokensView& tokens, uint64_t expected) {
  if (tokens.first_seq <= expected) return std::nullopt;
  return session::SequenceGap(tokens.first_seq, expected);
}

std::optional<session::Refusal> CheckInFlight(const session::TokensView& tokens, const session::Session& session,
                                              uint64_t most) {
  const uint64_t end = tokens.first_seq + tokens.count(session.values_per_token());
  if (!session.tracks_delivery || end <= session.delivered_seq || end - session.delivered_seq <= most) {
    return std::nullopt;
  }
  return session::OverQuota("in_flight_tokens",
                            absl::StrCat("tokens up to seq ", end, " with delivered_seq ", session.delivered_seq,
                                         ": more than the limit of ", most, " in flight"),
                            absl::ZeroDuration());
}

std::optional<session::Refusal> CheckContent(const session::TokensView& tokens, const session::Session& session,
                                             uint32_t skip, store::TokenClock& clock) {
  // Tokens before `skip` were checked at the first arrival.
  const uint32_t channels = session.values_per_token();
  const size_t skipped = size_t{skip} * channels;
  if (!tokens.values.empty() && AnyInfinite(tokens.values.subspan(skipped))) {
    return NameInfinite("values", tokens.values, skipped, channels);
  }
  if (!tokens.doubles.empty() && AnyInfinite(tokens.doubles.subspan(skipped))) {
    return NameInfinite("doubles", tokens.doubles, skipped, channels);
  }
  const task::TokenNumbers fresh = tokens.From(skip, channels);
  if (AnyInfinite(fresh.covariates) || AnyInfinite(fresh.future_values)) {
    return session::InvalidField(AnyInfinite(fresh.covariates) ? "tokens.covariates" : "tokens.future_values",
                                 "has an infinite number; missing ones are NaN");
  }
  if (session.regular_times) {
    const uint64_t count = tokens.count(channels);
    return CheckRegularTimes(session, tokens.first_seq + skip, tokens.first_seq + count - 1, clock);
  }
  return CheckGivenTimes(tokens.times_ns, skip, clock);
}

}  // namespace aaren::shard
