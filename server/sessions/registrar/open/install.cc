// The end of an Open: the store learns of the new writer, and the shard gets the session.

#include <algorithm>
#include <utility>

#include "server/sessions/registrar/open/open_operation.h"
#include "server/sessions/session/record.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {

// The state as the Open leaves it, without the rows.
session::SessionState OpenOperation::OpenedState() {
  std::string rows = std::exchange(state_.rows, {});
  session::SessionState opened = state_;
  state_.rows = std::move(rows);
  opened.epoch = epoch_;
  opened.attempt = request().attempt;
  opened.delivered_seq = std::max(request().delivered_seq.value_or(0), state_.point.seq);
  opened.durable_seq = desk_.shards.limits().saves ? 0 : state_.point.seq;
  if (desk_.shards.limits().saves && kept()) opened.durable_seq = *kept();
  return opened;
}

// The save that stays. Older saves are of no use any more: delivered_seq is not below the newest save.
std::optional<uint64_t> OpenOperation::kept() const {
  if (!record_ || record_->saves.empty()) return std::nullopt;
  return record_->saves.back().point.seq;
}

// Without saving, a record (from an Import or Fork) would grow old while the session lives here.
void OpenOperation::Acquire() {
  if (!desk_.shards.limits().saves && !record_) return Install();
  const uint64_t held_epoch = held_epoch_ = record_ ? record_->epoch : 0;
  auto then = desk_.mail.Back<store::WriteResult>(
      [self = shared_from_this()](const store::WriteResult& result) { self->OnAcquired(result); });
  if (!desk_.shards.limits().saves) return desk_.store.Delete(call_->key, held_epoch, std::move(then));
  store::Acquisition acquisition;
  acquisition.record = session::RecordOf(call_->key, OpenedState());
  acquisition.record.last_active = desk_.stamp();
  acquisition.record.server = desk_.shards.limits().lease.server;
  acquisition.record.leased_until = desk_.clock.Wall() + desk_.shards.limits().lease.time;
  acquisition.held_epoch = held_epoch;
  if (record_) {
    acquisition.keep_seq = kept().value_or(0);
    if (!resident_) acquisition.newest_seq = newest_seq_;
  }
  desk_.store.Acquire(std::move(acquisition), std::move(then));
}

void OpenOperation::OnAcquired(const store::WriteResult& result) {
  if (result.status.ok()) return Install();
  const bool taken = absl::IsAborted(result.status);
  if (taken && resident_) return result.current_epoch == held_epoch_ ? RestoreAgain() : BeginWithoutOwner();
  if (taken) return Begin();
  resident_ ? Keep(session::StoreRefusal(result.status)) : Refuse(session::StoreRefusal(result.status));
}

void OpenOperation::Install() {
  session::SessionState opened = OpenedState();
  opened.rows = std::move(state_.rows);
  SendInstallation(std::move(opened));
}

void OpenOperation::SendInstallation(session::SessionState state) {
  if (!resident_) desk_.shards.TellDemoted(call_->key, state.epoch, session::Fenced(call_->id(), state.epoch));
  installation_.state = std::move(state);
  desk_.shards.Tell(call_->shard, [call = call_, installation = std::move(installation_)](SessionOwner& owner) mutable {
    owner.Install(*call, std::move(installation));
  });
  entry_.owner = call_->shard;
  desk_.owners.Finish(entry_);
}

}  // namespace aaren::registrar
