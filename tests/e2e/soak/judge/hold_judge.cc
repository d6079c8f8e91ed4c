// A Hold's judgement of the server's answers.

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/e2e/soak/judge/hold.h"

namespace aaren::soak {
namespace {

// Describes bits that differ.
std::string Differing(const char* what, size_t at, float expected, float came) {
  uint32_t expected_bits, came_bits;
  std::memcpy(&expected_bits, &expected, sizeof(float));
  std::memcpy(&came_bits, &came, sizeof(float));
  return absl::StrCat(what, " ", at, " expected ", expected, " (0x", absl::Hex(expected_bits), "), came ", came, " (0x",
                      absl::Hex(came_bits), ")");
}

bool SameBits(float a, float b) { return std::memcmp(&a, &b, sizeof(float)) == 0 || (a != a && b != b); }

}  // namespace

void Hold::Judge(const v1::Opened& opened) {
  world_.history.Tell(id(), name_, " <- Opened {epoch ", opened.epoch(), " incarnation ", opened.incarnation(),
                      " next_seq ", opened.next_seq(), " durable_seq ", opened.durable_seq(),
                      opened.created() ? " created" : "", "}");
  if (phase_ != Phase::kOpening) return Accuse("Opened, though no Open was under way");
  if (opened.number() != open_.number()) return Accuse("Opened with the number of another Open");
  life_ = world_.ledger.Opened(id(), open_, before_, opened);
  if (!life_) return;
  phase_ = Phase::kOpen;
  epoch_ = opened.epoch();
  answered_ = expected_ = opened.next_seq();
  durable_ = opened.durable_seq();
  delivered_ = std::max({open_.delivered_seq(), opened.next_seq(), close_ ? close_->delivered_seq() : 0});
  tracks_ = open_.has_delivered_seq();
  if (life_->track && KindOf(id()).times == Kind::Times::kGiven && expected_ > 0) {
    last_time_ = series().Time(expected_ - 1);
  }
  for (const v1::Tokens& tokens : behind_) Admit(tokens);
  behind_.clear();
  waiting_behind_ = 0;
  application_.OnOpened(*this, opened);
}

void Hold::Judge(const v1::Forecasts& forecasts) {
  world_.history.Tell(id(), name_, " <- Forecasts ", forecasts.first_seq(), " .. ", forecasts.next_seq(), " durable ",
                      forecasts.durable_seq());
  if (phase_ != Phase::kOpen) return Accuse("Forecasts after a fence, a Closed or a refusal");
  if (due_.empty() || due_.front().what != Due::What::kTokens || due_.front().silent) {
    return Accuse(absl::StrCat("Forecasts from seq ", forecasts.first_seq(), " where none were due"));
  }
  if (forecasts.first_seq() != answered_ || forecasts.next_seq() <= answered_ ||
      forecasts.next_seq() > due_.front().end) {
    return Accuse(absl::StrCat("Forecasts expected from seq ", answered_, " to at most ", due_.front().end, ", came ",
                               forecasts.first_seq(), " .. ", forecasts.next_seq()));
  }
  JudgeDurable(forecasts.durable_seq());
  if (!life_->track) return Answered(forecasts.next_seq());
  size_t results = 0, result = 0;
  for (uint64_t seq = answered_; seq < forecasts.next_seq(); ++seq) results += seq % series().kind().every == 0;
  const size_t values = results * series().kind().channels * picked_.size();
  if (static_cast<size_t>(forecasts.values_size()) != values) {
    return Accuse(absl::StrCat(values, " values expected of seq ", answered_, " .. ", forecasts.next_seq(), ", came ",
                               forecasts.values_size()));
  }
  for (uint64_t seq = answered_; seq < forecasts.next_seq(); ++seq) {
    if (seq % series().kind().every != 0) continue;
    if (!JudgeForecast(forecasts, seq, result) || !JudgeTimes(forecasts, seq, result, results)) return;
    ++result;
  }
  Answered(forecasts.next_seq());
}

// The requested part of the model's forecast at seq: [channels, picked].
std::vector<float> Hold::Expected(uint64_t seq, const Window& window) {
  const uint32_t channels = series().kind().channels;
  const size_t floats = world_.oracle.forecast_floats();
  std::vector<float> expected;
  expected.reserve(channels * picked_.size());
  for (uint32_t channel = 0; channel < channels; ++channel) {
    const float* forecast = &window.forecasts[((seq - window.begin) * channels + channel) * floats];
    for (const size_t at : picked_) expected.push_back(forecast[at]);
  }
  if (++world_.judged == world_.flip) {
    uint32_t bits;
    std::memcpy(&bits, expected.data(), sizeof(bits));
    bits ^= 1;
    std::memcpy(expected.data(), &bits, sizeof(bits));
  }
  return expected;
}

bool Hold::JudgeForecast(const v1::Forecasts& forecasts, uint64_t seq, size_t result) {
  const std::shared_ptr<const Window> window = life_->track->WindowOf(seq, !open_.output().uncalibrated());
  const std::vector<float> expected = Expected(seq, *window);
  const float* came = forecasts.values().data() + result * expected.size();
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&expected[i], &came[i], sizeof(float)) == 0) continue;
    Accuse(absl::StrCat("seq ", seq, ": ", Differing("value", i, expected[i], came[i])));
    return false;
  }
  const uint32_t channels = series().kind().channels;
  if (!open_.output().surprise()) return true;
  if (static_cast<size_t>(forecasts.surprise_size()) < (result + 1) * channels) {
    Accuse(absl::StrCat("seq ", seq, ": surprises expected, came ", forecasts.surprise_size(), " in all"));
    return false;
  }
  for (uint32_t channel = 0; channel < channels; ++channel) {
    const float surprise = window->surprises[(seq - window->begin) * channels + channel];
    const float answer = forecasts.surprise(static_cast<int>(result * channels + channel));
    if (SameBits(surprise, answer)) continue;
    Accuse(absl::StrCat("seq ", seq, ": ", Differing("surprise", channel, surprise, answer)));
    return false;
  }
  return true;
}

bool Hold::JudgeTimes(const v1::Forecasts& forecasts, uint64_t seq, size_t result, size_t results) {
  const bool timed = series().kind().times != Kind::Times::kNone;
  const int i = static_cast<int>(result);
  if (static_cast<size_t>(forecasts.times_ns_size()) != (timed ? results : 0)) {
    Accuse(absl::StrCat("seq ", seq, ": ", timed ? results : 0, " times expected, came ", forecasts.times_ns_size()));
    return false;
  }
  if (!timed) return true;
  const int64_t step = forecasts.steps_ns_size() > 0 ? forecasts.steps_ns(i) : forecasts.step_ns();
  if (static_cast<int64_t>(forecasts.times_ns(i)) == series().Time(seq) && step == series().Step(seq)) return true;
  Accuse(absl::StrCat("seq ", seq, ": time ", series().Time(seq), " and step ", series().Step(seq), " expected, came ",
                      forecasts.times_ns(i), " and ", step));
  return false;
}

void Hold::JudgeDurable(uint64_t durable) {
  if (durable < durable_) {
    Accuse(absl::StrCat("durable_seq went back from ", durable_, " to ", durable));
  } else if (open_.has_delivered_seq() && durable > delivered_) {  // else a save may precede the first delivered_seq
    Accuse(absl::StrCat("durable_seq at most ", delivered_, " expected, which was delivered, came ", durable));
  }
  durable_ = durable;
}

void Hold::Judge(const v1::Acked& acked) {
  world_.history.Tell(id(), name_, " <- Acked ", acked.next_seq(), " durable ", acked.durable_seq());
  if (phase_ != Phase::kOpen) return Accuse("Acked after a fence, a Closed or a refusal");
  JudgeDurable(acked.durable_seq());
  if (acked.durable_seq() > acked.next_seq()) return Accuse("Acked with durable_seq above next_seq");
  if (acked.next_seq() == answered_) {  // an Acked for duplicates, or for a save
    if (!due_.empty() && due_.front().what == Due::What::kAck) due_.pop_front();
    return;
  }
  const bool due = !due_.empty() && due_.front().what == Due::What::kTokens && acked.next_seq() > answered_ &&
                   acked.next_seq() <= due_.front().end;
  if (!due) return Accuse(absl::StrCat("Acked ", acked.next_seq(), ", expected is ", answered_));
  for (uint64_t seq = answered_; seq < acked.next_seq() && !due_.front().silent; ++seq) {
    if (seq % KindOf(id()).every == 0) return Accuse(absl::StrCat("Acked without the forecast of seq ", seq));
  }
  Answered(acked.next_seq());
}

void Hold::Judge(const v1::Closed& closed) {
  world_.history.Tell(id(), name_, " <- Closed ", closed.next_seq());
  if (!closing() || phase_ == Phase::kOpening) return Accuse("Closed, though no Close was under way");
  // A fence before the Close leaves nothing to close.
  const bool taken = phase_ == Phase::kRefused;
  const uint64_t next_seq = taken ? 0 : answered_;
  if (closed.next_seq() != next_seq || (!taken && !due_.empty())) {
    return Accuse(absl::StrCat("Closed at ", closed.next_seq(), ", expected at ", next_seq,
                               " with nothing due; due are ", due_.size()));
  }
  phase_ = Phase::kClosed;
  const bool deleted = !taken && close_->delete_session();
  if (deleted) world_.ledger.Deleted(id(), life_->incarnation);
  if (!taken) application_.OnGone(*this, deleted);
}

void Hold::Judge(const v1::Failed& failed) {
  world_.history.Tell(id(), name_, " <- Failed {", failed.status().code(), " ", failed.status().message(), " expected ",
                      failed.expected_seq(), "}");
  if (failed.has_open_number()) return JudgeRefusedOpen(failed);
  if (phase_ != Phase::kOpen) return Accuse("Failed after a fence, a Closed or a refusal");
  const int code = failed.status().code();
  if (code == static_cast<int>(absl::StatusCode::kAborted)) return JudgeTaken();
  if (due_.empty() || due_.front().what != Due::What::kFailed || due_.front().code != code) {
    return Accuse(absl::StrCat("Failed with code ", code, " (", failed.status().message(), ") where ",
                               due_.empty() ? 0 : due_.front().code, " was due"));
  }
  if (failed.expected_seq() != answered_) {
    return Accuse(absl::StrCat("Failed with expected_seq ", failed.expected_seq(), ", expected is ", answered_));
  }
  world_.history.Count(absl::StrCat("refused with code ", code));
  due_.pop_front();
}

void Hold::JudgeTaken() {
  world_.history.Count("fenced");
  phase_ = Phase::kRefused;
  due_.clear();
  expected_ = answered_;
  application_.OnGone(*this, false);
}

void Hold::JudgeRefusedOpen(const v1::Failed& failed) {
  if (phase_ != Phase::kOpening || failed.open_number() != open_.number()) {
    return Accuse("an Open was refused that was not under way");
  }
  const auto code = static_cast<absl::StatusCode>(failed.status().code());
  std::string problem;
  if (code == absl::StatusCode::kNotFound) {
    if (open_.mode() != v1::Open::RESUME) problem = "only RESUME finds nothing";
  } else if (code == absl::StatusCode::kAlreadyExists) {
    if (open_.mode() != v1::Open::CREATE) problem = "only CREATE is refused what exists";
  } else if (code == absl::StatusCode::kFailedPrecondition) {
    if (!open_.has_incarnation()) problem = "no incarnation was required";
  } else if (code == absl::StatusCode::kUnavailable) {
    if (!world_.terminating) problem = "the server is to be there";
  } else if (code != absl::StatusCode::kResourceExhausted) {
    problem = "this Open cannot be refused so";
  }
  if (!problem.empty()) {
    return Accuse(absl::StrCat(problem, ", but the Open failed: ", failed.status().ShortDebugString()));
  }
  world_.history.Count(absl::StrCat("Open refused with code ", failed.status().code()));
  phase_ = Phase::kRefused;
  behind_.clear();
  waiting_behind_ = 0;
  application_.OnRefused(*this, failed.status().code());
}

}  // namespace aaren::soak
