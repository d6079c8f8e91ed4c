#include "client/cpp/stream/reconnect.h"

#include <algorithm>

#include "aaren/client/status.h"
#include "absl/random/random.h"
#include "absl/strings/str_cat.h"

namespace aaren::client {
namespace {

double RealRandom() {
  thread_local absl::BitGen generator;
  return absl::Uniform(generator, 0.0, 1.0);
}

// True if another attempt would end alike.
bool IsFinal(const Break& end) {
  // A server that sent something impossible would send the same again.
  if (end.by == Break::By::kLie) return true;
  // A server that names a time wants another attempt, whatever the code.
  if (RetryDelay(end.why)) return false;
  switch (end.why.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnimplemented:
      return true;
    case absl::StatusCode::kResourceExhausted:
      return end.by == Break::By::kRefusal;  // else gRPC or a proxy lacks memory, perhaps because of other clients
    default:
      return false;
  }
}

}  // namespace

Reconnect::Reconnect(const ClientOptions& options, Clock& clock)
    : options_(options), clock_(clock), backoff_(options.backoff, options.random ? options.random : RealRandom) {}

absl::Time Reconnect::Begin() {
  welcomed_ = progress_ = false;
  up_since_ = absl::InfiniteFuture();
  const absl::Time now = clock_.Now();
  // Attempts in a row are one outage.
  down_since_ = std::min(down_since_, now);
  return now + std::min(options_.welcome_timeout, TimeLeft());
}

void Reconnect::OnWelcome() {
  welcomed_ = ever_welcomed_ = true;
  cause_ = absl::OkStatus();
  down_since_ = absl::InfiniteFuture();
  up_since_ = clock_.Now();
}

absl::Status Reconnect::End(const Break& end) {
  const absl::Time now = clock_.Now();
  // The error of a stream says more than a Welcome that did not come: NoWelcome adds the error.
  if (end.by == Break::By::kStream) cause_ = end.why;
  if (progress_ || now - up_since_ > waited_) backoff_.Reset();
  // After a Welcome the outage begins with the break.
  down_since_ = welcomed_ ? now : std::min(down_since_, now);
  if (IsFinal(end)) return end.why;
  if (TimeLeft() > absl::ZeroDuration()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("no connection to ", options_.target, " for ",
                                             absl::FormatDuration(now - down_since_), "; last: ", end.why.message()));
}

absl::Duration Reconnect::Wait(const Break& end) {
  if (end.by == Break::By::kDraining && progress_) return waited_ = absl::ZeroDuration();
  const absl::Duration next = backoff_.Next();
  // The last attempt still comes within the time left.
  waited_ = std::min(RetryDelay(end.why).value_or(next), std::max(TimeLeft(), absl::ZeroDuration()));
  return waited_;
}

void Reconnect::Reset() {
  ever_welcomed_ = false;
  down_since_ = absl::InfiniteFuture();
  waited_ = absl::ZeroDuration();
  backoff_.Reset();
}

absl::Status Reconnect::NoWelcome() const {
  const std::string before = cause_.ok() ? "" : absl::StrCat("; before that: ", cause_.message());
  return absl::UnavailableError(absl::StrCat("the server did not say Welcome in time", before));
}

absl::Duration Reconnect::TimeLeft() const {
  // Before the first Welcome the address may be wrong; afterwards a server is away.
  const absl::Duration limit = ever_welcomed_ ? options_.reconnect_timeout : options_.connect_timeout;
  return down_since_ == absl::InfiniteFuture() ? limit : down_since_ + limit - clock_.Now();
}

}  // namespace aaren::client
