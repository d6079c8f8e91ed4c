#include "client/cpp/connection.h"

#include <algorithm>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/status.h"

namespace aaren::client {
namespace {

// For limits that a server leaves at 0.
constexpr uint64_t kDefaultMessageBytes = 4 << 20;
constexpr uint32_t kDefaultTokensPerItem = 1024;

double RealRandom() {
  thread_local absl::BitGen generator;
  return absl::Uniform(generator, 0.0, 1.0);
}

uint64_t RandomWriter() {
  absl::BitGen generator;
  return absl::Uniform<uint64_t>(absl::IntervalClosed, generator, 1, UINT64_MAX);
}

gpr_timespec ToGpr(absl::Duration from_now) {
  if (from_now == absl::InfiniteDuration()) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(absl::ToInt64Nanoseconds(from_now), GPR_TIMESPAN));
}

// Statuses of a stream that another attempt would only meet again. `refused`: the server itself said so, of this
// client.
bool IsFinal(const absl::Status& status, bool refused) {
  if (RetryDelay(status)) return false;
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnimplemented:
      return true;
    case absl::StatusCode::kResourceExhausted:
      return refused;  // else gRPC or a proxy is short of memory, which others may have taken
    default:
      return false;
  }
}

}  // namespace

Connection::Connection(const ClientOptions& options, uint32_t stream)
    : options_(options),
      stream_(stream),
      writer_(RandomWriter()),
      clock_(options.clock ? *options.clock : Clock::Real()),
      backoff_(options.backoff, options.random ? options.random : RealRandom) {}

Connection::~Connection() {
  alarm_.Cancel();
  queue_.Shutdown();
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) {
  }
}

absl::Status Connection::Add(State state) {
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    if (!sessions_.emplace(state->options().id, state).second) {
      return absl::AlreadyExistsError(absl::StrCat("this client has session \"", state->options().id, "\" open"));
    }
    newcomers_.push_back(std::move(state));
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
    ring = Wake();
  }
  if (ring) Ring();
  return absl::OkStatus();
}

void Connection::Enqueue(State state) {
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    arrivals_.push_back(std::move(state));
    ring = Wake();
  }
  if (ring) Ring();
}

void Connection::Remove(const State& state) {
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = sessions_.find(state->options().id);
    if (found == sessions_.end() || found->second != state) return;
    sessions_.erase(found);
    removed_.push_back(state);
    ring = Wake();
  }
  if (ring) Ring();
}

void Connection::Stop() {
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
    parked_ = true;
    ring = Wake();
  }
  if (ring) Ring();
  if (thread_.joinable()) thread_.join();
}

bool Connection::Wake() {
  if (!parked_ || wake_pending_) return false;
  wake_pending_ = true;
  return true;
}

void Connection::Ring() { alarm_.Set(&queue_, gpr_now(GPR_CLOCK_MONOTONIC), reinterpret_cast<void*>(kWoken)); }

bool Connection::stopping() {
  absl::MutexLock lock(&mutex_);
  return stop_;
}

std::vector<Connection::State> Connection::Sessions() {
  absl::MutexLock lock(&mutex_);
  std::vector<State> sessions;
  for (const auto& [id, state] : sessions_) sessions.push_back(state);
  return sessions;
}

void Connection::Run() {
  while (AwaitSessions()) {
    const absl::Status why = RunCall();
    if (!stopping()) Disconnected(why);
  }
  EndAll(absl::CancelledError("the client was destroyed"));
}

bool Connection::AwaitSessions() {
  absl::MutexLock lock(&mutex_);
  const auto wanted = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stop_ || !sessions_.empty(); };
  mutex_.Await(absl::Condition(&wanted));
  return !stop_;
}

// Handles, and what was to be sent under them, die with their call.
void Connection::Forget() {
  handles_.clear();
  ready_.clear();
  closes_.clear();
  retries_.clear();
  next_handle_ = 0;
  welcomed_ = progress_ = false;
  up_since_ = absl::InfiniteFuture();
  refusal_ = failure_ = absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  arrivals_.clear();
  removed_.clear();
}

absl::Status Connection::RunCall() {
  Forget();
  down_since_ = std::min(down_since_, clock_.Now());
  call_deadline_ = clock_.Now() + std::min(options_.welcome_timeout, TimeLeft());
  Call call(options_, stream_, queue_);
  while (!call.done()) {
    uintptr_t tag;
    bool ok;
    if (!NextEvent(call, Deadline(), tag, ok)) {
      OnDeadline(call);
    } else if (tag != kWoken && call.OnEvent(tag, ok)) {
      HandleReply(call);
      call.Read();
    }
    if (stopping()) call.Cancel();
    Pump(call);
  }
  if (!refusal_.ok()) return refusal_;
  if (!failure_.ok()) return failure_;
  cause_ = call.status();
  return call.status().ok() ? absl::UnavailableError("the server ended the stream") : call.status();
}

bool Connection::NextEvent(Call& call, absl::Time deadline, uintptr_t& tag, bool& ok) {
  {
    absl::MutexLock lock(&mutex_);
    const bool mail = !newcomers_.empty() || !arrivals_.empty() || !removed_.empty();
    // Mail that came since the last Pump is taken now, unless a write's end will take it anyway.
    if (mail && welcomed_ && !call.writing() && !stop_) {
      tag = kWoken;
      return true;
    }
    parked_ = !call.writing() || stop_;
  }
  void* got = nullptr;
  const auto status = queue_.AsyncNext(&got, &ok, ToGpr(deadline - clock_.Now()));
  tag = reinterpret_cast<uintptr_t>(got);
  absl::MutexLock lock(&mutex_);
  parked_ = false;
  if (status == grpc::CompletionQueue::GOT_EVENT && tag == kWoken) wake_pending_ = false;
  return status == grpc::CompletionQueue::GOT_EVENT;
}

absl::Time Connection::Deadline() const {
  absl::Time deadline = call_deadline_;
  for (const auto& [time, state] : retries_) deadline = std::min(deadline, time);
  return deadline;
}

void Connection::OnDeadline(Call& call) {
  if (clock_.Now() < call_deadline_) return;
  if (!welcomed_) {
    // What an attempt before this one met says more than that there was no time for this one.
    const std::string before = cause_.ok() ? "" : absl::StrCat("; before that: ", cause_.message());
    failure_ = absl::UnavailableError(absl::StrCat("the server did not say Welcome in time", before));
  }
  call_deadline_ = absl::InfiniteFuture();
  call.Cancel();
}

void Connection::HandleReply(Call& call) {
  for (const v1::ServerItem& item : call.reply().items()) HandleItem(item, call);
}

template <typename Item, typename Method>
void Connection::Dispatch(const Item& item, Method method) {
  const auto found = handles_.find(item.handle());
  if (found == handles_.end()) return;
  const State state = found->second;
  Handle(state, method(*state));
}

void Connection::HandleItem(const v1::ServerItem& item, Call& call) {
  switch (item.item_case()) {
    case v1::ServerItem::kWelcome:
      return OnWelcome(item.welcome());
    case v1::ServerItem::kOpened:
      return Dispatch(item.opened(), [&](SessionState& state) { return state.OnOpened(item.opened()); });
    case v1::ServerItem::kForecasts:
      progress_ = true;
      return Dispatch(item.forecasts(), [&](SessionState& state) { return state.OnForecasts(item.forecasts()); });
    case v1::ServerItem::kAcked:
      progress_ = true;
      return Dispatch(item.acked(), [&](SessionState& state) { return state.OnAcked(item.acked()); });
    case v1::ServerItem::kClosed:
      progress_ = true;
      return Dispatch(item.closed(), [&](SessionState& state) { return state.OnClosed(); });
    case v1::ServerItem::kFailed:
      return OnFailed(item.failed());
    case v1::ServerItem::kDraining:
      return OnDraining(item.draining(), call);
    case v1::ServerItem::ITEM_NOT_SET:
      return;
  }
}

void Connection::OnWelcome(const v1::Welcome& welcome) {
  welcomed_ = ever_welcomed_ = true;
  cause_ = absl::OkStatus();
  down_since_ = call_deadline_ = absl::InfiniteFuture();
  up_since_ = clock_.Now();
  limits_ = welcome.limits();
  if (limits_.message_bytes() == 0) limits_.set_message_bytes(kDefaultMessageBytes);
  if (limits_.tokens_per_item() == 0) limits_.set_tokens_per_item(kDefaultTokensPerItem);
  if (limits_.in_flight_tokens() == 0) limits_.set_in_flight_tokens(UINT64_MAX);
  outbox_.set_capacity(std::min<uint64_t>(options_.write_bytes, limits_.message_bytes()));
  const std::vector<State> sessions = Sessions();
  absl::MutexLock lock(&mutex_);
  newcomers_ = sessions;
}

// The server answers what it has and takes no more: better to be elsewhere soon.
void Connection::OnDraining(const v1::Draining& draining, Call& call) {
  failure_ = absl::UnavailableError("the server is shutting down");
  call_deadline_ = clock_.Now() + absl::Milliseconds(std::max<int64_t>(0, draining.deadline_ms()));
  call.HalfClose();
}

void Connection::OnFailed(const v1::Failed& failed) {
  if (!failed.has_handle()) {
    refusal_ = FromProto(failed.status());
    return;
  }
  Dispatch(failed, [&](SessionState& state) { return state.OnFailed(failed); });
}

void Connection::Handle(const State& state, const SessionState::Next& next) {
  if (next.enqueue) ready_.push_back(state);
  if (next.close) Release(state);
  if (next.ended || next.retry > absl::ZeroDuration()) handles_.erase(state->handle());
  if (next.retry > absl::ZeroDuration()) retries_.emplace_back(clock_.Now() + next.retry, state);
  if (!next.ended) return;
  absl::MutexLock lock(&mutex_);
  const auto found = sessions_.find(state->options().id);
  if (found != sessions_.end() && found->second == state) sessions_.erase(found);
}

void Connection::Release(const State& state) {
  v1::Close& close = closes_.emplace_back();
  close.set_handle(state->handle());
  close.set_delivered_seq(state->delivered_seq());
}

void Connection::Pump(Call& call) {
  if (!welcomed_) return;
  TakeMail();
  Retry();
  if (!call.writable()) return;
  outbox_.Clear();
  Fill();
  if (!outbox_.empty()) call.Write(outbox_.message());
}

void Connection::TakeMail() {
  std::vector<State> newcomers;
  std::vector<State> removed;
  {
    absl::MutexLock lock(&mutex_);
    newcomers.swap(newcomers_);
    removed.swap(removed_);
    ready_.insert(ready_.end(), arrivals_.begin(), arrivals_.end());
    arrivals_.clear();
  }
  for (const State& state : removed) {
    const auto found = handles_.find(state->handle());
    if (found == handles_.end() || found->second != state) continue;
    Release(state);
    handles_.erase(found);
    state->End(absl::CancelledError("the session was destroyed"));
  }
  for (const State& state : newcomers) {
    state->Attach(next_handle_, writer_, next_open_++);
    handles_[next_handle_++] = state;
    ready_.push_back(state);
  }
}

void Connection::Retry() {
  const absl::Time now = clock_.Now();
  const auto due =
      std::partition(retries_.begin(), retries_.end(), [&](const auto& retry) { return retry.first > now; });
  if (due == retries_.end()) return;
  absl::MutexLock lock(&mutex_);
  for (auto it = due; it != retries_.end(); ++it) newcomers_.push_back(it->second);
  retries_.erase(due, retries_.end());
}

void Connection::Fill() {
  while (!closes_.empty() && outbox_.room() > 0) {
    *outbox_.Add().mutable_close() = closes_.back();
    closes_.pop_back();
  }
  while (!ready_.empty() && outbox_.room() > 0) {
    const State state = std::move(ready_.front());
    ready_.pop_front();
    if (state->Fill(limits_, outbox_)) ready_.push_back(state);
  }
}

void Connection::Disconnected(const absl::Status& why) {
  // A server that welcomes every stream and soon breaks it gets longer and longer pauses, until a stream outlives the
  // pause before it: more than half of the time is then spent connected.
  if (progress_ || clock_.Now() - up_since_ > waited_) backoff_.Reset();
  if (!ever_welcomed_ || !welcomed_)
    down_since_ = std::min(down_since_, clock_.Now());
  else
    down_since_ = clock_.Now();
  for (const State& state : Sessions()) state->OnDisconnected(why);
  const absl::Status verdict = Verdict(why);
  if (!verdict.ok()) return EndAll(verdict);
  WaitBeforeRetry(why);
}

absl::Duration Connection::TimeLeft() const {
  const absl::Duration limit = ever_welcomed_ ? options_.reconnect_timeout : options_.connect_timeout;
  return down_since_ == absl::InfiniteFuture() ? limit : down_since_ + limit - clock_.Now();
}

// OK: try again.
absl::Status Connection::Verdict(const absl::Status& why) {
  if (IsFinal(why, !refusal_.ok())) return why;
  if (TimeLeft() > absl::ZeroDuration()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("no connection to ", options_.target, " for ",
                                             absl::FormatDuration(clock_.Now() - down_since_),
                                             "; last: ", why.message()));
}

void Connection::WaitBeforeRetry(const absl::Status& why) {
  const absl::Duration next = backoff_.Next();
  waited_ = std::min(RetryDelay(why).value_or(next), std::max(TimeLeft(), absl::ZeroDuration()));
  absl::MutexLock lock(&mutex_);
  clock_.AwaitFor(mutex_, absl::Condition(&stop_), waited_);
}

void Connection::EndAll(const absl::Status& status) {
  const std::vector<State> sessions = Sessions();
  for (const State& state : sessions) {
    {
      absl::MutexLock lock(&mutex_);
      sessions_.erase(state->options().id);
    }
    state->End(status);
  }
  down_since_ = absl::InfiniteFuture();
  ever_welcomed_ = false;
  waited_ = absl::ZeroDuration();
  backoff_.Reset();
}

}  // namespace aaren::client
