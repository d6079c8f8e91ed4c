#include "client/cpp/stream/handles.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::client {
namespace {

constexpr size_t kMostOpening = 256;  // Opens under way: half of a shard's limit for a stream

}  // namespace

void Handles::TakeMail() {
  RetryDue();
  const Mailbox::Mail& mail = mailbox_.Take();
  ready_.insert(ready_.end(), mail.arrivals.begin(), mail.arrivals.end());
  for (const State& state : mail.removed) Remove(state);  // before newcomers: a removed session may be a newcomer
  for (const State& state : mail.newcomers) Attach(state);
}

void Handles::Attach(const State& state) {
  if (!state->status().ok()) return;  // ended or destroyed before its turn came
  state->Attach(next_handle_, opens_.writer, opens_.next++);
  handles_[next_handle_++] = state;
  unopened_.push_back(state);
}

void Handles::Remove(const State& state) {
  const auto found = handles_.find(state->handle());
  // A session without a handle has number 0, another session's.
  if (found != handles_.end() && found->second == state) {
    Release(state);
    Forget(state->handle());
  }
  state->End(absl::CancelledError("the session was destroyed"));
}

void Handles::Forget(uint32_t handle) {
  handles_.erase(handle);
  opening_.erase(handle);
}

void Handles::Release(const State& state) {
  v1::Close& close = closes_.emplace_back();
  close.set_handle(state->handle());
  close.set_delivered_seq(state->delivered_seq());
}

void Handles::RetryDue() {
  if (retries_.empty()) return;
  const absl::Time now = clock_.Now();
  const auto due =
      std::partition(retries_.begin(), retries_.end(), [&](const auto& retry) { return retry.first > now; });
  std::vector<State> states;
  for (auto it = due; it != retries_.end(); ++it) states.push_back(it->second);
  retries_.erase(due, retries_.end());
  mailbox_.AddAgain(states);
}

absl::Time Handles::NextRetry() const {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [time, state] : retries_) next = std::min(next, time);
  return next;
}

void Handles::Fill(const v1::Limits& limits, MessageBuilder& builder) {
  while (!closes_.empty() && builder.room() > 0) {
    *builder.Add().mutable_close() = closes_.back();
    closes_.pop_back();
  }
  while (!unopened_.empty() && opening_.size() < kMostOpening && builder.room() > 0) {
    const State state = std::move(unopened_.front());
    unopened_.pop_front();
    if (!handles_.contains(state->handle())) continue;  // destroyed meanwhile
    opening_.insert(state->handle());
    if (state->Fill(limits, builder)) ready_.push_back(state);
  }
  while (!ready_.empty() && builder.room() > 0) {
    const State state = std::move(ready_.front());
    ready_.pop_front();
    // A session with more to send waits behind the rest: sessions take turns.
    if (state->Fill(limits, builder)) ready_.push_back(state);
  }
}

template <typename Item, typename Method>
absl::Status Handles::Dispatch(const Item& item, Method method) {
  if (item.handle() >= next_handle_) {
    return absl::InternalError(absl::StrCat("server ", server_, " answers under handle ", item.handle(), "; only ",
                                            next_handle_, " were given"));
  }
  const auto found = handles_.find(item.handle());
  // The session has ended here, and the item was under way.
  if (found == handles_.end()) return absl::OkStatus();
  // A copy, since the end of a session erases the entry.
  const State state = found->second;
  Follow(state, method(*state));
  return absl::OkStatus();
}

absl::Status Handles::Handle(const v1::Opened& opened) {
  // The place is free for another Open, even if the session has gone meanwhile.
  opening_.erase(opened.handle());
  return Dispatch(opened, [&](SessionState& state) { return state.OnOpened(opened); });
}

absl::Status Handles::Handle(const v1::Forecasts& forecasts) {
  return Dispatch(forecasts, [&](SessionState& state) { return state.OnForecasts(forecasts); });
}

absl::Status Handles::Handle(const v1::Overdue& overdue) {
  return Dispatch(overdue, [&](SessionState& state) { return state.OnOverdue(overdue); });
}

absl::Status Handles::Handle(const v1::Acked& acked) {
  return Dispatch(acked, [&](SessionState& state) { return state.OnAcked(acked); });
}

absl::Status Handles::Handle(const v1::Closed& closed) {
  return Dispatch(closed, [&](SessionState& state) { return state.OnClosed(closed); });
}

absl::Status Handles::Handle(const v1::Failed& failed) {
  opening_.erase(failed.handle());
  return Dispatch(failed, [&](SessionState& state) { return state.OnFailed(failed); });
}

void Handles::Follow(const State& state, const SessionState::Next& next) {
  const bool retries = next.retry > absl::ZeroDuration();
  if (next.ready == SessionState::Ready::kYes) ready_.push_back(state);
  if (next.close) Release(state);
  // A retry opens the session under another handle.
  if (next.ended || retries) Forget(state->handle());
  if (retries) retries_.emplace_back(clock_.Now() + next.retry, state);
  if (next.ended) mailbox_.Forget(state);
}

}  // namespace aaren::client
