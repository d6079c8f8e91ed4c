#include "client/load/load_stream.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/cpp/messages/claims.h"
#include "client/cpp/messages/rpc_status.h"
#include "client/cpp/messages/values.h"

namespace aaren::client {
namespace {

constexpr int64_t kSecond = 1000000000;
constexpr double kLongestInterval = 1e18;    // nanoseconds: 31 years
constexpr int64_t kPatience = kSecond / 10;  // between two looks at `stop`

// A message is neither large enough to make server and client take turns, nor small enough to make its own price count.
constexpr size_t kWriteBytes = 32 << 10;

// gRPC's waits are whole milliseconds long; an open loop naps through the last one, so as to be on time.
constexpr int64_t kQueueTick = 2000000;
constexpr unsigned long kTimerSlack = 1000;
constexpr auto kNap = std::chrono::microseconds(50);

// The series: a day of 24 tokens and a week of 168, in a whole number of weeks, and some noise.
constexpr size_t kSignalTokens = 168 * 24;

std::vector<float> MakeSignal(size_t message_tokens, uint32_t channels) {
  // Every run has the same noise.
  std::mt19937 generator(1);
  std::normal_distribution<double> noise(0, 1);
  std::vector<float> signal;
  for (size_t t = 0; t < kSignalTokens; ++t) {
    const double day = 2 * M_PI * static_cast<double>(t % 24) / 24;
    const double week = 2 * M_PI * static_cast<double>(t % 168) / 168;
    for (uint32_t c = 0; c < channels; ++c) {
      signal.push_back(static_cast<float>(100 + 20 * std::sin(day + c) + 8 * std::cos(week) + noise(generator)));
    }
  }
  // A message may begin at the end of the signal, and goes on into the copy of the beginning.
  for (size_t i = 0; i < message_tokens * channels; ++i) signal.push_back(signal[i]);
  return signal;
}

}  // namespace

int64_t NowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void LoadCounts::Merge(const LoadCounts& other) {
  sent += other.sent;
  resent += other.resent;
  received += other.received;
  errors += other.errors;
  if (first_error.empty()) first_error = other.first_error;
  latency.Merge(other.latency);
  last_reply = std::max(last_reply, other.last_reply);
}

LoadStream::LoadStream(const LoadOptions& options, uint32_t stream, std::vector<std::string> ids)
    : options_(options),
      stream_(stream),
      times_(ids.size() * options.window),
      signal_(MakeSignal(options.points_per_message, options.channels)),
      window_(options.window),
      write_bytes_(kWriteBytes) {
  for (std::string& id : ids) sessions_.push_back({.id = std::move(id)});
  if (!open_loop()) return;
  // Bounded for tiny rates: due times stay within 64 bits.
  interval_ = std::min(kLongestInterval, 1e9 * options.points_per_message * options.sessions / options.rate /
                                             static_cast<double>(sessions_.size()));
}

void LoadStream::Count(const std::string& error) {
  ++counts_.errors;
  if (counts_.first_error.empty()) counts_.first_error = error;
}

absl::Status LoadStream::Open() {
  const absl::Status status = OpenSessions();
  // A broken stream has been counted. A stream that is left out for another reason is an error of the run, too.
  if (!status.ok() && !call_.broken()) Count(std::string(status.message()));
  return status;
}

absl::Status LoadStream::OpenSessions() {
  const absl::Status started = call_.Start(options_);
  if (!started.ok()) return started;
  unsettled_ = static_cast<uint32_t>(sessions_.size());
  Loop(NowNanos() + absl::ToInt64Nanoseconds(options_.settle), [this] { return unsettled_ == 0; });
  if (!refused_.ok()) return refused_;
  if (!call_.broken() && unsettled_ == 0) return absl::OkStatus();
  const absl::Status status = FromGrpc(call_.status());
  if (!status.ok()) return status;
  return absl::UnavailableError(
      absl::StrCat(unsettled_, " of ", sessions_.size(), " sessions were not opened in time"));
}

void LoadStream::Stream(int64_t start, int64_t end, const std::atomic<bool>* stop) {
  const auto stopped = [stop] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  start_ = start;
  // Makes naps as short as asked for.
  if (open_loop()) prctl(PR_SET_TIMERSLACK, kTimerSlack);
  phase_ = Phase::kStreaming;
  for (uint32_t i = 0; i < sessions_.size() && !open_loop(); ++i) {
    sessions_[i].due = UINT64_MAX;
    Queue(i);
  }
  Loop(end, stopped);
  // Tokens due before the end are sent, and no later tokens, however late the loop ended.
  now_ = std::min(now_, end);
  if (open_loop() && !stopped()) MakeDue();
  phase_ = Phase::kDraining;
  // Due tokens are still sent, unless the run was stopped: a stall delays tokens, and must show.
  for (Session& session : sessions_) {
    if (!open_loop() || stopped()) session.due = session.sent;
  }
  Loop(NowNanos() + absl::ToInt64Nanoseconds(options_.drain), [this] { return in_flight_ == 0 && ready_.empty(); });
  if (in_flight_ > 0 && !call_.broken()) Count(absl::StrCat(in_flight_, " messages were not answered in time"));
}

void LoadStream::Delete() {
  phase_ = Phase::kClosing;
  next_ = 0;
  unsettled_ = static_cast<uint32_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const Session& session) { return session.open; }));
  Loop(NowNanos() + absl::ToInt64Nanoseconds(options_.settle), [this] { return unsettled_ == 0; });
}

template <typename Done>
void LoadStream::Loop(int64_t deadline, Done done) {
  now_ = NowNanos();
  while (!call_.broken() && now_ < deadline && !done()) {
    if (phase_ == Phase::kStreaming && open_loop()) MakeDue();
    if (welcomed_ && !call_.writing()) Write();
    Await(std::min(deadline, now_ + kPatience));
  }
  // A broken stream says why.
  while (call_.broken() && call_.pending()) Await(now_ + kPatience);
}

// Takes an event, if any comes before `deadline` and before the next due message.
void LoadStream::Await(int64_t deadline) {
  const int64_t next_due = phase_ == Phase::kStreaming && open_loop() ? NextDue() : INT64_MAX;
  const int64_t until = std::min(deadline, next_due);
  const int64_t early = next_due < deadline ? kQueueTick : 0;
  const int64_t wait = std::max<int64_t>(0, until - now_ - early);
  const LoadCall::Event event = call_.Next(wait);
  if (event == LoadCall::Event::kNone && wait == 0 && until > now_) std::this_thread::sleep_for(kNap);
  now_ = NowNanos();
  OnEvent(event);
}

void LoadStream::OnEvent(LoadCall::Event event) {
  if (event == LoadCall::Event::kEnded)
    Count(absl::StrCat("stream ", stream_, " broke: ", call_.status().error_message()));
  if (event == LoadCall::Event::kStarted) {
    v1::ClientItem hello;
    hello.mutable_hello()->set_protocol_version(1);
    hello.mutable_hello()->set_client("aaren load");
    message_.Add(hello);
    Write();
    call_.Read();
  }
  if (event != LoadCall::Event::kReply) return;
  if (ReadReply(call_.reply(), *this)) return call_.Read();
  Count(absl::StrCat("stream ", stream_, ": a reply that is no ServerMessage"));
  call_.Break();
}

void LoadStream::Write() {
  if (phase_ == Phase::kOpening) FillOpens();
  if (phase_ == Phase::kStreaming || phase_ == Phase::kDraining) FillTokens();
  if (phase_ == Phase::kClosing) FillCloses();
  if (message_.size() == 0) return;
  call_.Write(message_.bytes());
  message_.Clear();
}

void LoadStream::FillOpens() {
  for (; next_ < sessions_.size() && message_.size() < write_bytes_; ++next_) {
    v1::ClientItem item;
    v1::Open& open = *item.mutable_open();
    open.set_handle(next_);
    open.set_session_id(sessions_[next_].id);
    open.set_model(options_.model);
    open.set_mode(v1::Open::CREATE);
    open.set_channels(options_.channels);
    open.set_durability(ToMessage(options_.durability));
    open.mutable_output()->mutable_horizons()->Add(options_.horizons.begin(), options_.horizons.end());
    open.mutable_output()->mutable_quantiles()->Add(options_.quantiles.begin(), options_.quantiles.end());
    message_.Add(item);
  }
}

void LoadStream::FillCloses() {
  for (; next_ < sessions_.size() && message_.size() < write_bytes_; ++next_) {
    if (!sessions_[next_].open) continue;
    v1::ClientItem item;
    item.mutable_close()->set_handle(next_);
    item.mutable_close()->set_delete_session(true);
    message_.Add(item);
  }
}

void LoadStream::FillTokens() {
  while (!ready_.empty() && message_.size() < write_bytes_) {
    const uint32_t handle = ready_.front();
    ready_.pop_front();
    sessions_[handle].queued = false;
    if (!Sendable(sessions_[handle])) continue;
    AddMessage(handle);
    Queue(handle);
  }
}

void LoadStream::AddMessage(uint32_t handle) {
  Session& session = sessions_[handle];
  const uint64_t begin = session.base_seq + session.sent * options_.points_per_message;
  const uint64_t first_seq = std::max(begin, session.resume_seq);
  const uint64_t points = begin + options_.points_per_message - first_seq;
  // Sessions are seven tokens apart: the server does not get equal values from all.
  const size_t phase = (first_seq + handle * 7) % kSignalTokens * options_.channels;
  message_.AddTokens(handle, first_seq, absl::MakeConstSpan(signal_).subspan(phase, points * options_.channels),
                     session.base_seq + session.answered * options_.points_per_message);
  // A message sent again has waited since its first time.
  const bool again = session.sent < session.timed;
  if (!again) {
    times_[TimeIndex(handle, session.sent)] = open_loop() ? DueTime(session.sent * sessions_.size() + handle) : now_;
    ++session.timed;
  }
  ++session.sent;
  ++in_flight_;
  (again ? counts_.resent : counts_.sent) += points;
}

size_t LoadStream::TimeIndex(uint32_t handle, uint64_t message) const {
  // At most `window` messages of a session are unanswered: their times are a ring.
  return static_cast<size_t>(handle) * options_.window + message % options_.window;
}

bool LoadStream::Sendable(const Session& session) const {
  return session.open && !session.failed && session.sent < session.due && session.sent - session.answered < window_;
}

void LoadStream::Queue(uint32_t handle) {
  Session& session = sessions_[handle];
  if (session.queued || !Sendable(session)) return;
  session.queued = true;
  ready_.push_back(handle);
}

// Messages go to the sessions in turn. The streams of a run are out of step by a part of an interval each.
int64_t LoadStream::DueTime(uint64_t message) const {
  const double offset = static_cast<double>(stream_) / options_.streams;
  return start_ + static_cast<int64_t>((static_cast<double>(message) + offset) * interval_);
}

// While messages wait for a write to end, time does not press.
int64_t LoadStream::NextDue() const { return call_.writing() && !ready_.empty() ? INT64_MAX : DueTime(due_); }

void LoadStream::MakeDue() {
  for (; DueTime(due_) <= now_; ++due_) {
    const auto handle = static_cast<uint32_t>(due_ % sessions_.size());
    ++sessions_[handle].due;
    Queue(handle);
  }
}

uint64_t LoadStream::SeqOf(const Session& session, uint64_t message) const {
  return session.base_seq + message * options_.points_per_message;
}

void LoadStream::OnProgress(uint32_t handle, uint64_t next_seq) {
  // Replies that come after the run do not count.
  if (handle >= sessions_.size() || phase_ == Phase::kClosing) return;
  Session& session = sessions_[handle];
  if (session.failed) return;
  const uint64_t points = options_.points_per_message;
  Claims claims(options_.target, "Forecasts");
  claims.Within<uint64_t>("next_seq", next_seq, 0, SeqOf(session, session.timed));
  if (!claims.status().ok()) return EndSession(session, std::string(claims.status().message()));
  for (; session.answered < session.sent && SeqOf(session, session.answered + 1) <= next_seq; ++session.answered) {
    counts_.latency.Record(now_ - times_[TimeIndex(handle, session.answered)], points);
    counts_.received += points;
    --in_flight_;
  }
  counts_.last_reply = now_;
  Queue(handle);
}

void LoadStream::OnItem(const v1::ServerItem& item) {
  if (item.has_welcome()) OnWelcome(item.welcome());
  if (item.has_opened()) OnOpened(item.opened());
  if (item.has_failed()) OnFailed(item.failed());
  if (item.has_closed() && unsettled_ > 0) --unsettled_;
  if (item.has_draining()) Count(absl::StrCat("stream ", stream_, ": the server is shutting down"));
}

void LoadStream::OnWelcome(const v1::Welcome& welcome) {
  if (welcomed_) return;  // said once
  const absl::StatusOr<v1::Limits> said = ToLimits(welcome, options_.target);
  if (!said.ok()) {
    refused_ = said.status();
    return call_.Cancel();
  }
  welcomed_ = true;
  phase_ = Phase::kOpening;
  const v1::Limits& limits = *said;
  const uint64_t in_flight = limits.in_flight_tokens() / options_.points_per_message;
  // The server's limit of tokens in flight bounds the window, too.
  if (in_flight > 0) window_ = static_cast<uint32_t>(std::min<uint64_t>(window_, in_flight));
  // The last item may overshoot.
  const size_t item = 64 + options_.points_per_message * options_.channels * sizeof(float);
  if (limits.message_bytes() > item) write_bytes_ = std::min<uint64_t>(write_bytes_, limits.message_bytes() - item);
}

void LoadStream::OnOpened(const v1::Opened& opened) {
  if (opened.handle() >= sessions_.size() || unsettled_ == 0) return;
  Session& session = sessions_[opened.handle()];
  if (session.open) return;  // said once
  --unsettled_;
  session.open = true;
  if (session.failed) return;
  const absl::StatusOr<Opened> value = ToValue(opened, options_.target);
  if (!value.ok()) return EndSession(session, std::string(value.status().message()));
  session.base_seq = value->next_seq;
}

// The server had no room for the tokens from `expected_seq` on.
void LoadStream::SendAgain(uint32_t handle, uint64_t expected_seq) {
  Session& session = sessions_[handle];
  if (phase_ == Phase::kClosing || session.failed) return;
  Claims claims(options_.target, "Failed");
  claims.Within("expected_seq", expected_seq, SeqOf(session, session.answered), SeqOf(session, session.sent));
  if (!claims.status().ok()) return EndSession(session, std::string(claims.status().message()));
  // The server may have taken a part of a message: the rest begins at resume_seq.
  const uint64_t sent = (expected_seq - session.base_seq) / options_.points_per_message;
  in_flight_ -= session.sent - sent;
  session.sent = sent;
  session.resume_seq = expected_seq;
  Queue(handle);
}

void LoadStream::OnFailed(const v1::Failed& failed) {
  const absl::Status status = FromProto(failed.status(), options_.target);
  // Details are bytes.
  const std::string error = absl::StrCat(status.message(), " (", absl::StatusCodeToString(status.code()), ")");
  if (!failed.has_handle() || failed.handle() >= sessions_.size()) return Count(error);
  // Tokens without room are sent again; every other refusal ends the session.
  if (ErrorReason(status) == "SET_ASIDE") return SendAgain(failed.handle(), failed.expected_seq());
  Session& session = sessions_[failed.handle()];
  // In these phases the failure stands for the Opened or the Closed.
  const bool owed = !session.open || phase_ == Phase::kClosing;
  if (owed && unsettled_ > 0) --unsettled_;
  EndSession(session, error);
}

void LoadStream::EndSession(Session& session, const std::string& error) {
  Count(error);
  in_flight_ -= session.sent - session.answered;
  session.answered = session.sent;
  session.failed = true;
}

}  // namespace aaren::client
