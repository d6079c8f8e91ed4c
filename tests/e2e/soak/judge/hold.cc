#include "tests/e2e/soak/judge/hold.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::soak {
namespace {

// Places of the wanted horizons and quantiles in a forecast, [horizon, quantiles].
std::vector<size_t> Picked(const v1::OutputOptions& output, const package::ForecasterConfig& config) {
  std::vector<size_t> picked;
  for (uint32_t h = 1; h <= static_cast<uint32_t>(config.horizon); ++h) {
    const auto& horizons = output.horizons();
    if (!horizons.empty() && std::find(horizons.begin(), horizons.end(), h) == horizons.end()) continue;
    for (size_t q = 0; q < config.quantiles.size(); ++q) {
      const auto& levels = output.quantiles();
      const bool wanted =
          levels.empty() || std::find(levels.begin(), levels.end(), config.quantiles[q]) != levels.end();
      if (wanted) picked.push_back((h - 1) * config.quantiles.size() + q);
    }
  }
  return picked;
}

int Code(absl::StatusCode code) { return static_cast<int>(code); }

}  // namespace

Hold::Hold(World& world, std::string name, Application& application, const v1::Open& open)
    : world_(world),
      name_(std::move(name)),
      application_(application),
      open_(open),
      before_(world.ledger.Before(open.session_id())),
      picked_(Picked(open.output(), world.oracle.config())) {
  world_.history.Tell(id(), name_, " Open {", open.ShortDebugString(), "}");
}

void Hold::Accuse(const std::string& what) { world_.history.Accuse(id(), absl::StrCat(name_, ": ", what)); }

void Hold::Send(const v1::Tokens& tokens) {
  world_.history.Tell(id(), name_, " Tokens ", tokens.first_seq(), " + ",
                      tokens.values_size() / static_cast<int>(KindOf(id()).channels), tokens.silent() ? " silent" : "",
                      tokens.has_delivered_seq() ? absl::StrCat(" delivered ", tokens.delivered_seq()) : "");
  if (phase_ == Phase::kOpen) return Admit(tokens);
  if (phase_ != Phase::kOpening) return;
  behind_.push_back(tokens);
  waiting_behind_ += static_cast<uint64_t>(tokens.values_size());
}

void Hold::Send(const v1::Close& close) {
  world_.history.Tell(id(), name_, " Close {", close.ShortDebugString(), "}");
  close_ = close;
  delivered_ = std::max(delivered_, close.delivered_seq());
}

// Foretells the server's reaction to an item of an open session (proto/aaren/v1/stream.proto).
void Hold::Admit(const v1::Tokens& tokens) {
  if (tokens.has_delivered_seq()) {
    tracks_ = true;
    delivered_ = std::max(delivered_, tokens.delivered_seq());
  }
  const uint64_t end = tokens.first_seq() + static_cast<uint64_t>(tokens.values_size()) / KindOf(id()).channels;
  const bool holds_expected = tokens.first_seq() <= expected_ && expected_ < end;
  if (refusing_ && !holds_expected) return;
  refusing_ = false;
  const int code = Refusal(tokens);
  if (code != 0) {
    refusing_ = true;
    return due_.push_back({Due::What::kFailed, 0, false, code});
  }
  if (end <= expected_) {  // duplicates in a row may share an answer
    if (due_.empty() || due_.back().what != Due::What::kAck) due_.push_back({Due::What::kAck});
    return;
  }
  expected_ = end;
  if (tokens.times_ns_size() > 0) last_time_ = tokens.times_ns(tokens.times_ns_size() - 1);
  due_.push_back({Due::What::kTokens, end, tokens.silent()});
}

// The code of the item's refusal; 0: accepted, or a duplicate.
int Hold::Refusal(const v1::Tokens& tokens) const {
  const uint32_t channels = KindOf(id()).channels;
  const uint64_t count = static_cast<uint64_t>(tokens.values_size()) / channels;
  const bool given = tokens.times_ns_size() > 0;
  if (static_cast<uint64_t>(tokens.values_size()) != count * channels || count > kTokensPerItem ||
      (given && static_cast<uint64_t>(tokens.times_ns_size()) != count)) {
    return Code(absl::StatusCode::kInvalidArgument);
  }
  if (tokens.first_seq() > expected_) return Code(absl::StatusCode::kOutOfRange);
  const uint64_t end = tokens.first_seq() + count;
  if (end <= expected_) return 0;
  if (tracks_ && end > delivered_ && end - delivered_ > kInFlightTokens) {
    return Code(absl::StatusCode::kResourceExhausted);
  }
  const auto fresh = tokens.values().begin() + static_cast<int>((expected_ - tokens.first_seq()) * channels);
  const bool infinite = std::any_of(fresh, tokens.values().end(), [](float value) { return std::isinf(value); });
  return infinite || TimesGoBack(tokens) ? Code(absl::StatusCode::kInvalidArgument) : 0;
}

bool Hold::TimesGoBack(const v1::Tokens& tokens) const {
  int64_t last = last_time_;
  for (int i = static_cast<int>(expected_ - tokens.first_seq()); i < tokens.times_ns_size(); ++i) {
    if (tokens.times_ns(i) < last) return true;
    last = tokens.times_ns(i);
  }
  return false;
}

void Hold::Answered(uint64_t end) {
  const uint64_t begin = std::exchange(answered_, end);
  if (due_.front().end == end) due_.pop_front();
  application_.OnAnswered(*this, begin, end);
}

void Hold::JudgeEnd() {
  if (phase_ == Phase::kOpening) return Accuse("the stream ended with OK before its Open was answered");
  if (phase_ == Phase::kOpen && closing()) return Accuse("the stream ended with OK before its Close was answered");
  if (phase_ != Phase::kOpen || due_.empty()) return;
  Accuse(absl::StrCat("the stream ended with OK, expected answers up to seq ", expected_, ", they came up to ",
                      answered_, "; ", due_.size(), " items were not answered"));
}

}  // namespace aaren::soak
