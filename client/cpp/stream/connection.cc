#include "client/cpp/stream/connection.h"

#include <algorithm>
#include <system_error>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/channel/channel.h"
#include "client/cpp/channel/proxy.h"
#include "client/cpp/messages/rpc_status.h"
#include "client/cpp/messages/values.h"

namespace aaren::client {
namespace {

// Room for the longest Open: with less a session would never get a word in.
constexpr uint64_t kLeastWriteBytes = 1024;

// The attempts that avoid leaving servers, after a server has left.
constexpr int kWaryAttempts = 3;

uint64_t RandomWriter() {
  absl::BitGen generator;
  return absl::Uniform<uint64_t>(absl::IntervalClosed, generator, 1, UINT64_MAX);
}

// A server that drains for longer is left earlier.
constexpr int64_t kLongestDrainMs = 3'600'000;

}  // namespace

Connection::Connection(const ClientOptions& options, uint32_t stream)
    : options_(options),
      stream_(stream),
      clock_(options.clock ? *options.clock : Clock::Real()),
      opens_{.writer = RandomWriter()},
      reconnect_(options_, clock_) {}

absl::Status Connection::Start() {
  absl::MutexLock lock(&thread_mutex_);
  if (thread_.joinable() || mailbox_.stopped()) return absl::OkStatus();
  // std::thread throws if the system has no thread left, and no exception leaves the library.
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(absl::StrCat("no thread for stream ", stream_, ": ", error.what()));
  }
  return absl::OkStatus();
}

absl::Status Connection::Add(State state) {
  const absl::Status started = Start();
  return started.ok() ? mailbox_.Add(std::move(state)) : started;
}

void Connection::Enqueue(const State& state, SessionState::Ready ready) {
  if (ready == SessionState::Ready::kYes) mailbox_.Enqueue(state);
}

void Connection::Stop() {
  mailbox_.Stop();
  std::thread thread;
  {
    absl::MutexLock lock(&thread_mutex_);
    std::swap(thread, thread_);
  }
  if (thread.joinable()) thread.join();  // without a lock: the last callbacks may call Add
}

void Connection::Run() {
  while (mailbox_.AwaitSessions()) {
    const Break end = RunCall();
    if (!mailbox_.stopped()) OnBroken(end);
    // The time without sessions is no part of an outage.
    if (mailbox_.Sessions().empty()) reconnect_.Reset();
  }
  EndAll(absl::CancelledError("the client was destroyed"));
}

// Only a few times: a proxy may keep health checks from the servers.
Among Connection::WhereTo() {
  if (wary_ == 0) return Among::kReachable;
  --wary_;
  return Among::kServing;
}

Break Connection::RunCall() {
  welcomed_ = false;
  given_up_ = {};
  handles_ = std::make_unique<Handles>(mailbox_, opens_, clock_, options_.target);
  // Readiness belongs to the call before: after the Welcome all sessions come again.
  mailbox_.DropReady();
  call_deadline_ = reconnect_.Begin();
  // Asked before each attempt: a caller's token may have expired.
  const absl::StatusOr<Metadata> metadata = CallMetadata(options_.channel);
  if (!metadata.ok()) return {.why = metadata.status()};
  Call call(options_, *metadata, stream_, WhereTo(), mailbox_.queue());
  Loop(call);
  // The reason of this side says more than the status of a cancelled call.
  if (!given_up_.why.ok()) return given_up_;
  const absl::Status status = call.status();
  return {.why =
              status.ok() ? absl::UnavailableError("the server ended the stream") : NameProxy(status, options_.target)};
}

void Connection::Loop(Call& call) {
  while (!call.done()) {
    const absl::Time deadline = std::min(call_deadline_, handles_->NextRetry());
    const std::optional<Mailbox::Event> event = mailbox_.Next(Heeds(call), deadline - clock_.Now());
    if (!event) {
      OnDeadline(call);
    } else if (event->tag != Mailbox::kMail && call.OnEvent(event->tag, event->ok)) {
      // The next read follows the handling: a slow listener holds the server back.
      for (const v1::ServerItem& item : call.reply().items()) OnItem(item, call);
      call.Read();
    }
    // The loop goes on until gRPC has given all events of the call.
    if (mailbox_.stopped()) call.Cancel();
    Pump(call);
  }
}

// Mail that comes during a write is taken after the write.
Mailbox::Heed Connection::Heeds(const Call& call) const {
  return welcomed_ && !call.writing() ? Mailbox::Heed::kEventsAndMail : Mailbox::Heed::kEvents;
}

void Connection::OnDeadline(Call& call) {
  if (clock_.Now() < call_deadline_) return;
  if (!welcomed_) given_up_ = {.why = reconnect_.NoWelcome(), .by = Break::By::kClient};
  // The cancelled call ends by its own events.
  call_deadline_ = absl::InfiniteFuture();
  call.Cancel();
}

void Connection::OnItem(const v1::ServerItem& item, Call& call) {
  const absl::Status status = Handle(item, call);
  if (status.ok() || !given_up_.why.ok()) return;
  given_up_ = {.why = status, .by = Break::By::kLie};
  call.Cancel();
}

// Not OK: the item is impossible.
absl::Status Connection::Handle(const v1::ServerItem& item, Call& call) {
  switch (item.item_case()) {
    case v1::ServerItem::kWelcome:
      return OnWelcome(item.welcome());
    // No progress: a server may open sessions and break off again and again.
    case v1::ServerItem::kOpened:
      return handles_->Handle(item.opened());
    case v1::ServerItem::kForecasts:
      reconnect_.OnProgress();
      return handles_->Handle(item.forecasts());
    case v1::ServerItem::kAcked:
      reconnect_.OnProgress();
      return handles_->Handle(item.acked());
    case v1::ServerItem::kClosed:
      reconnect_.OnProgress();
      return handles_->Handle(item.closed());
    case v1::ServerItem::kFailed:
      return OnFailed(item.failed());
    case v1::ServerItem::kDraining:
      OnDraining(item.draining(), call);
      return absl::OkStatus();
    case v1::ServerItem::kOverdue:
      return handles_->Handle(item.overdue());
    // An item of a newer server.
    case v1::ServerItem::ITEM_NOT_SET:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status Connection::OnWelcome(const v1::Welcome& welcome) {
  if (welcomed_) return absl::OkStatus();  // said once
  const absl::StatusOr<v1::Limits> limits = ToLimits(welcome, options_.target);
  if (!limits.ok()) return limits.status();
  limits_ = *limits;
  welcomed_ = true;
  wary_ = 0;
  reconnect_.OnWelcome();
  call_deadline_ = absl::InfiniteFuture();
  builder_.set_capacity(std::min(std::max<uint64_t>(options_.write_bytes, kLeastWriteBytes), limits_.message_bytes()));
  mailbox_.AddAllAgain();
  return absl::OkStatus();
}

// The server answers the taken tokens and takes no more: the session should move soon. The server may still accept
// connections, and its address may be the first of several.
void Connection::OnDraining(const v1::Draining& draining, Call& call) {
  if (given_up_.why.ok()) {
    given_up_ = {.why = absl::UnavailableError("the server is shutting down"), .by = Break::By::kDraining};
  }
  wary_ = kWaryAttempts;
  call_deadline_ = clock_.Now() + absl::Milliseconds(std::clamp<int64_t>(draining.deadline_ms(), 0, kLongestDrainMs));
  call.HalfClose();
}

absl::Status Connection::OnFailed(const v1::Failed& failed) {
  if (failed.has_handle()) return handles_->Handle(failed);
  given_up_ = {.why = FromProto(failed.status(), options_.target), .by = Break::By::kRefusal};
  return absl::OkStatus();
}

void Connection::Pump(Call& call) {
  if (!welcomed_) return;
  handles_->TakeMail();
  // One write is under way at a time: items that become ready meanwhile leave together.
  if (!call.writable()) return;
  builder_.Clear();
  handles_->Fill(limits_, builder_);
  if (!builder_.empty()) call.Write(builder_.message());
}

void Connection::OnBroken(const Break& end) {
  const absl::Status verdict = reconnect_.End(end);
  for (const State& state : mailbox_.Sessions()) state->OnDisconnected(end.why);
  if (!verdict.ok()) return EndAll(verdict);
  mailbox_.AwaitStop(clock_, reconnect_.Wait(end));
}

void Connection::EndAll(const absl::Status& status) {
  for (const State& state : mailbox_.Sessions()) {
    // Forgotten first, since OnEnded may open a session of the same id.
    mailbox_.Forget(state);
    state->End(status);
  }
  reconnect_.Reset();
}

}  // namespace aaren::client
