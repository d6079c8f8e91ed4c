#include "server/sessions/shard/residents/residents.h"

#include <string>
#include <utility>
#include <vector>

namespace aaren::shard {
namespace {

constexpr double kLongestWait = 1e9;  // seconds: nobody waits for 30 years to be told

// A late save, or one or two failures, do not end the lease.
save::SaverOptions SavingOf(const ShardOptions& options) {
  return {options.save_interval, options.session_ttl,
          save::Lease{options.advertise, 2 * options.save_interval + absl::Seconds(10)}};
}

}  // namespace

Residents::Residents(Core& core)
    : core_(core),
      rows_(core.options.capacity_rows, core.index),
      slab_(rows_, core.options.ties.budget, core.options.max_resident_bytes),
      plans_(core.options.ties.budget),
      overdue_(core.options.ties.budget),
      saver_(SavingOf(core.options), rows_, lists_) {}

session::Session* Residents::Find(absl::string_view key) {
  const auto found = sessions_.find(key);
  return found == sessions_.end() ? nullptr : found->get();
}

session::Session& Residents::Add(std::unique_ptr<session::Session> session) {
  session::Session& added = **sessions_.insert(std::move(session)).first;
  slab_.Join(*added.model);
  return added;
}

void Residents::Remove(session::Session& session) {
  lists_.Remove(session);
  slab_.Leave(*session.model);
  slab_.Free(*session.model, session.channels, std::move(session.rows));
  sessions_.erase(sessions_.find(session.key.view()));
}

void Residents::RemoveDemoted(session::Session& session) {
  session.stream = nullptr;
  session.plan = nullptr;
  --attached_;
  Remove(session);
}

void Residents::Settle(session::Session& session) {
  saver_.Settle(session, core_.now_ms());
  new_untold_ |= session.list == session::Session::List::kUntold;
}

void Residents::Attach(session::Session& session) {
  ++attached_;
  Settle(session);
  ExpectNext(session);
}

void Residents::Detach(session::Session& session) {
  if (std::exchange(session.stalled, false)) --stalled_;
  session.stream = nullptr;
  plans_.Release(session.plan);
  overdue_.Forget(session.epoch);
  session.plan = nullptr;
  session.regular_times = session.refusing = session.closing = false;
  session.last_active_ms = core_.now_ms();
  --attached_;
  core_.counters.sessions_detached.Add(1);
  Settle(session);
}

void Residents::Hold(session::Session& session) {
  session.held = true;
  Settle(session);
}

void Residents::EndHold(session::Session& session) {
  session.held = false;
  Settle(session);
}

// An unsaved session stays in place: the first unsaved token decides when the session is due.
void Residents::OnStepped(session::Session& session, int64_t now_ms) {
  session.last_active_ms = now_ms;
  if (session.list == session::Session::List::kUnsaved) return;
  if (saver_.enabled() || session.stream == nullptr) Settle(session);
}

// The time counts from now, by the server's clock: the client's times may be historic, or no dates at all.
void Residents::ExpectNext(const session::Session& session) {
  if (session.plan == nullptr || session.plan->events.overdue == 0) return;
  overdue_.Forget(session.epoch);
  const absl::StatusOr<std::string> row = rows_.Read(*session.model, session.channels, session.rows);
  std::vector<float> result(session.model->engine->result_floats());
  if (!row.ok() || !session.model->engine->NewestResult({reinterpret_cast<const std::byte*>(row->data()), row->size()},
                                                        result.data())) {
    return;
  }
  const std::optional<double> seconds = session.model->conversion->SecondsUntilOverdue(result.data(), *session.plan);
  if (!seconds || *seconds > kLongestWait) return;
  const auto wait_ns = static_cast<int64_t>(*seconds * 1e9);
  session::OverdueReply reply = {.next_seq = session.point.seq, .probability = 1 - session.plan->events.overdue};
  if (__builtin_add_overflow(session.point.clock.last_time_ns, wait_ns, &reply.time_ns)) return;
  overdue_.Expect(session.epoch, (core_.clock.NowNanos() + wait_ns) / 1'000'000 + 1,
                  {session.stream, session.handle, reply});
}

void Residents::OnUsed(session::Session& session) {
  session.last_active_ms = core_.now_ms();
  if (session.list == session::Session::List::kQuiet && saver_.NeedsSave(session)) Settle(session);
}

void Residents::OnDelivered(session::Session& session, std::optional<uint64_t> delivered_seq) {
  if (!delivered_seq || !save::Saver::OnDelivered(session, *delivered_seq)) return;
  if (session.AwaitsSave()) Settle(session);
}

// The session is due at once: the save interval may be long, and the store well.
void Residents::Stall(session::Session& session) {
  session.stalled = true;
  ++stalled_;
  Settle(session);
}

void Residents::EndStall(session::Session& session) {
  if (std::exchange(session.stalled, false)) --stalled_;
}

void Residents::EndExpiry(session::Session& session) {
  if (session.list == session::Session::List::kNone) Settle(session);
}

void Residents::MoveBack(session::Session& session) {
  lists_.quiet.Remove(session);
  lists_.quiet.PushBack(session);
}

void Residents::UpdateLevels() {
  ShardCounters& counters = core_.counters;
  counters.sessions_resident.Set(sessions_.size());
  counters.sessions_attached.Set(attached_);
  counters.sessions_stalled.Set(stalled_);
  counters.sessions_silent.Set(silent_.Look(sessions_, core_.now_ms()));
  rows_.PublishLevels();
  counters.slots_used.Set(rows_.used_rows());
  counters.slots_capacity.Set(rows_.capacity_rows());
  counters.state_bytes.Set(rows_.used_bytes());
}

}  // namespace aaren::shard
