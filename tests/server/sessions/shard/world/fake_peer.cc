#include "tests/server/sessions/shard/world/fake_peer.h"

#include <algorithm>

#include "server/sessions/models/loaded_model.h"

namespace aaren::shard {
namespace {

FakePeer::Event Nothing() {
  FakePeer::Event event;
  event.refusal.status = absl::UnknownError("no such event");
  return event;
}

}  // namespace

session::OpenedReply FakePeer::Unopened() {
  session::OpenedReply reply;
  reply.epoch = reply.incarnation = reply.next_seq = reply.durable_seq = UINT64_MAX;
  return reply;
}

FakePeer::Event& FakePeer::Add(Event::Kind kind, session::Handle handle) {
  Event& event = events.emplace_back();
  event.kind = kind;
  event.handle = handle;
  return event;
}

void FakePeer::OnOpened(session::Handle handle, const session::OpenedReply& reply) {
  Event& event = Add(Event::kOpened, handle);
  event.opened = reply;
  event.next_seq = reply.next_seq;
  event.durable_seq = reply.durable_seq;
}

void FakePeer::OnForecasts(session::Handle handle, const session::ForecastsReply& reply) {
  Event& event = Add(Event::kForecasts, handle);
  event.first_seq = reply.first_seq;
  event.next_seq = reply.next_seq;
  event.durable_seq = reply.durable_seq;
  event.results = reply.results;
  const size_t numbers = reply.model->engine->result_floats() + (reply.plan == nullptr ? 0 : reply.plan->selected());
  for (const float* forecast : reply.forecasts) event.values.insert(event.values.end(), forecast, forecast + numbers);
  event.surprises.assign(reply.surprises.begin(), reply.surprises.end());
  event.times_ns.assign(reply.times_ns.begin(), reply.times_ns.end());
  event.steps_ns.assign(reply.steps_ns.begin(), reply.steps_ns.end());
  if (!event.steps_ns.empty()) event.step_ns = event.steps_ns.back();
}

void FakePeer::OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  Event& event = Add(Event::kAcked, handle);
  event.next_seq = next_seq;
  event.durable_seq = durable_seq;
}

void FakePeer::OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  Event& event = Add(Event::kClosed, handle);
  event.next_seq = next_seq;
  event.durable_seq = durable_seq;
}

void FakePeer::OnOverdue(session::Handle handle, const session::OverdueReply& reply) {
  Event& event = Add(Event::kOverdue, handle);
  event.next_seq = reply.next_seq;
  event.overdue = reply;
}

void FakePeer::OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) {
  Event& event = Add(Event::kFailed, handle);
  event.refusal = refusal;
  event.expected_seq = expected_seq;
}

void FakePeer::OnOpenRefused(session::Handle handle, uint64_t, const session::Refusal& refusal) {
  OnFailed(handle, refusal, 0);
}
void FakePeer::OnCloseRefused(session::Handle handle, const session::Refusal& refusal) { OnFailed(handle, refusal, 0); }

size_t FakePeer::Count(Event::Kind kind, session::Handle handle) const {
  return std::count_if(events.begin(), events.end(),
                       [&](const Event& event) { return event.kind == kind && event.handle == handle; });
}

const FakePeer::Event& FakePeer::Last() const {
  static const Event nothing = Nothing();
  return events.empty() ? nothing : events.back();
}

const FakePeer::Event& FakePeer::Last(Event::Kind kind, session::Handle handle) const {
  static const Event nothing = Nothing();
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind == kind && event->handle == handle) return *event;
  }
  return nothing;
}

std::vector<std::vector<float>> FakePeer::Forecasts(session::Handle handle) const {
  std::vector<std::vector<float>> all;
  for (const Event& event : events) {
    if (event.kind != Event::kForecasts || event.handle != handle) continue;
    const size_t numbers = event.values.size() / event.results;
    for (size_t i = 0; i < event.results; ++i) {
      all.emplace_back(event.values.begin() + i * numbers, event.values.begin() + (i + 1) * numbers);
    }
  }
  return all;
}

std::vector<float> Values(uint64_t first_seq, size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) values.push_back(0.5f + static_cast<float>(first_seq + i));
  return values;
}

}  // namespace aaren::shard
