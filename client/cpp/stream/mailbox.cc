#include "client/cpp/stream/mailbox.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::client {
namespace {

gpr_timespec ToGpr(absl::Duration from_now) {
  // By the monotonic clock: a wall clock set back must not prolong a wait.
  if (from_now == absl::InfiniteDuration()) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(absl::ToInt64Nanoseconds(from_now), GPR_TIMESPAN));
}

}  // namespace

Mailbox::~Mailbox() {
  // A pending alarm gives its event now.
  alarm_.Cancel();
  queue_.Shutdown();
  void* tag;
  bool ok;
  // gRPC wants a queue to be empty at its end.
  while (queue_.Next(&tag, &ok)) {
  }
}

// During OnEnded a session is still here, and its listener may open the session again.
void Mailbox::ForgetIfEnded(const std::string& id) {
  State there;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return;
    there = found->second;
  }
  if (!there->status().ok()) Forget(there);
}

absl::Status Mailbox::Add(State state) {
  ForgetIfEnded(state->options().id);
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    if (stop_) return absl::CancelledError("the client is being destroyed");
    if (!sessions_.emplace(state->options().id, state).second) {
      return absl::AlreadyExistsError(absl::StrCat("this client has session \"", state->options().id, "\" open"));
    }
    mail_.newcomers.push_back(std::move(state));
    ring = Wake();
  }
  // Rung without the lock: no lock is held over a call of gRPC.
  if (ring) Ring();
  return absl::OkStatus();
}

void Mailbox::Enqueue(State state) {
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    mail_.arrivals.push_back(std::move(state));
    ring = Wake();
  }
  if (ring) Ring();
}

void Mailbox::Remove(const State& state) {
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = sessions_.find(state->options().id);
    if (found == sessions_.end() || found->second != state) return;
    sessions_.erase(found);
    mail_.removed.push_back(state);
    ring = Wake();
  }
  if (ring) Ring();
}

void Mailbox::Stop() {
  bool ring;
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
    // The stop also wakes a thread that waits for the end of a write.
    listening_ = true;
    ring = Wake();
  }
  if (ring) Ring();
}

bool Mailbox::Wake() {
  // An alarm under way wakes the thread for later mail, too.
  if (!listening_ || wake_pending_) return false;
  wake_pending_ = true;
  return true;
}

void Mailbox::Ring() {
  // An alarm of the past rings within Set. An alarm of now would wait up to a millisecond for gRPC's timer thread, and
  // on a busy machine that thread forgets an alarm now and then.
  alarm_.Set(&queue_, gpr_inf_past(GPR_CLOCK_MONOTONIC), reinterpret_cast<void*>(kMail));
}

bool Mailbox::HasMail() const { return !mail_.newcomers.empty() || !mail_.arrivals.empty() || !mail_.removed.empty(); }

bool Mailbox::AwaitSessions() {
  absl::MutexLock lock(&mutex_);
  const auto wanted = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stop_ || !sessions_.empty(); };
  mutex_.Await(absl::Condition(&wanted));
  return !stop_;
}

void Mailbox::AwaitStop(Clock& clock, absl::Duration timeout) {
  absl::MutexLock lock(&mutex_);
  clock.AwaitFor(mutex_, absl::Condition(&stop_), timeout);
}

bool Mailbox::stopped() const {
  absl::MutexLock lock(&mutex_);
  return stop_;
}

std::optional<Mailbox::Event> Mailbox::Next(Heed heed, absl::Duration timeout) {
  {
    absl::MutexLock lock(&mutex_);
    const bool heeds_mail = heed == Heed::kEventsAndMail;
    if (heeds_mail && HasMail() && !stop_) return Event{.tag = kMail, .ok = true};
    listening_ = heeds_mail || stop_;
  }
  void* tag = nullptr;
  Event event;
  const auto status = queue_.AsyncNext(&tag, &event.ok, ToGpr(timeout));
  event.tag = reinterpret_cast<uintptr_t>(tag);
  absl::MutexLock lock(&mutex_);
  listening_ = false;
  if (status != grpc::CompletionQueue::GOT_EVENT) return std::nullopt;
  // The alarm has rung, and may be set again.
  if (event.tag == kMail) wake_pending_ = false;
  return event;
}

const Mailbox::Mail& Mailbox::Take() {
  taken_.newcomers.clear();
  taken_.arrivals.clear();
  taken_.removed.clear();
  absl::MutexLock lock(&mutex_);
  std::swap(mail_, taken_);
  return taken_;
}

std::vector<Mailbox::State> Mailbox::Sessions() const {
  absl::MutexLock lock(&mutex_);
  std::vector<State> sessions;
  for (const auto& [id, state] : sessions_) sessions.push_back(state);
  return sessions;
}

void Mailbox::Forget(const State& state) {
  absl::MutexLock lock(&mutex_);
  const auto found = sessions_.find(state->options().id);
  if (found != sessions_.end() && found->second == state) sessions_.erase(found);
}

void Mailbox::AddAgain(const std::vector<State>& states) {
  absl::MutexLock lock(&mutex_);
  mail_.newcomers.insert(mail_.newcomers.end(), states.begin(), states.end());
}

void Mailbox::AddAllAgain() {
  absl::MutexLock lock(&mutex_);
  // The newcomers are among the sessions.
  mail_.newcomers.clear();
  for (const auto& [id, state] : sessions_) mail_.newcomers.push_back(state);
}

void Mailbox::DropReady() {
  absl::MutexLock lock(&mutex_);
  mail_.arrivals.clear();
  mail_.removed.clear();
}

}  // namespace aaren::client
