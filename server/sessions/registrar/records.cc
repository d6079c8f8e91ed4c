#include "server/sessions/registrar/records.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/operate/log/log.h"
#include "server/sessions/session/record.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

constexpr absl::Duration kFailuresApart = absl::Seconds(10);  // lines of the log about failed saves

// A shard's times are the clock's Now; the store has the wall's times.
void ToStored(store::SessionHeader& header, const session::Clock& clock) {
  header.last_active = clock.StampOf(header.last_active);
  if (header.leased_until != absl::UnixEpoch()) header.leased_until = clock.WallAt(header.leased_until);
}

}  // namespace

void Records::Find(std::string key, Found then) {
  parts_.store.Find(std::move(key), parts_.mail.Back<absl::StatusOr<store::SessionRecord>>(std::move(then)));
}

// The sweep takes a page at a time, so an operation may meet an expired record.
void Records::FindUnexpired(std::string key, Found then) {
  Find(std::move(key), [this, then = std::move(then)](absl::StatusOr<store::SessionRecord> record) mutable {
    if (!record.ok() || !HasExpired(*record)) return then(std::move(record));
    auto deleted = [this, key = record->key, epoch = record->epoch,
                    then = std::move(then)](const store::WriteResult& result) mutable {
      if (!result.status.ok()) return then(result.status);
      parts_.shards.TellDemoted(key, epoch + 1, session::SessionNotFound(session::SessionId(key)));
      then(absl::NotFoundError("the session has expired"));
    };
    parts_.store.Delete(record->key, record->epoch, parts_.mail.Back<store::WriteResult>(std::move(deleted)));
  });
}

void Records::Load(const store::SessionRecord& found, size_t row_bytes, Transit::Permit held, RowsLoaded then) {
  if (found.saves.empty()) return then(LoadedRecord{found, std::move(held)});
  auto load = [this, key = found.key, then = std::move(then)](Transit::Permit permit) mutable {
    auto loaded = [permit = std::move(permit),
                   then = std::move(then)](absl::StatusOr<store::SessionRecord> record) mutable {
      if (!record.ok()) return then(record.status());
      then(LoadedRecord{*std::move(record), std::move(permit)});
    };
    parts_.store.Load(std::move(key), parts_.mail.Back<absl::StatusOr<store::SessionRecord>>(std::move(loaded)));
  };
  if (held != nullptr) return load(std::move(held));
  parts_.transit.Enter(found.saves.size() * found.origin.channels * row_bytes, std::move(load));
}

void Records::Delete(const std::string& key, const absl::StatusOr<store::SessionRecord>& record, Ended then) {
  if (absl::IsNotFound(record.status())) return then(std::nullopt);
  if (!record.ok() && !store::IsUnreadable(record.status())) return then(session::StoreRefusal(record.status()));
  const std::optional<uint64_t> epoch = record.ok() ? std::make_optional(record->epoch) : std::nullopt;
  auto deleted = [key, then = std::move(then)](const store::WriteResult& result) mutable {
    if (result.status.ok()) return then(std::nullopt);
    then(absl::IsAborted(result.status) ? session::Fenced(session::SessionId(key), result.current_epoch)
                                        : session::StoreRefusal(result.status));
  };
  parts_.store.Delete(key, epoch, parts_.mail.Back<store::WriteResult>(std::move(deleted)));
}

// The store consumes the writes, so the shard's part of each result is noted before.
void Records::Save(int shard, std::vector<store::SaveWrite> writes) {
  std::vector<save::SaveResult> results;
  results.reserve(writes.size());
  for (store::SaveWrite& write : writes) {
    results.push_back(save::ResultOf(write));
    ToStored(write.header, parts_.clock);
  }
  auto saved = [this, shard, results = std::move(results)](std::vector<store::WriteResult> written) mutable {
    for (size_t i = 0; i < results.size(); ++i) results[i].written = std::move(written[i]);
    LogFailures(results);
    parts_.shards.Tell(shard, [results = std::move(results)](SessionOwner& owner) { owner.SavesDone(results); });
  };
  parts_.store.Save(std::move(writes), parts_.mail.Back<std::vector<store::WriteResult>>(std::move(saved)));
}

// Names only the first save to be tried again: a full disk fails all saves for the same reason, again and again.
void Records::LogFailures(const std::vector<save::SaveResult>& results) {
  const auto failed = std::find_if(results.begin(), results.end(), [](const save::SaveResult& result) {
    return !result.written.status.ok() && !absl::IsAborted(result.written.status);
  });
  const absl::Time now = parts_.clock.Now();
  if (failed == results.end() || now < log_failures_from_) return;
  log_failures_from_ = now + kFailuresApart;
  log::Log(
      log::LogLevel::kWarning, "save failed",
      {{"session", failed->key}, {"saves", absl::StrCat(results.size())}, {"why", failed->written.status.ToString()}});
}

bool Records::HasExpired(const store::SessionRecord& record) const {
  const absl::Duration ttl = parts_.shards.limits().session_ttl;
  if (ttl == absl::ZeroDuration() || record.last_active + ttl > parts_.clock.Earliest()) return false;
  return !parts_.store.shared() || record.leased_until == absl::UnixEpoch();
}

// A session with an epoch drawn by the server lives at the server.
bool Records::LivesElsewhere(const store::SessionRecord& record) const {
  return parts_.store.shared() && record.leased_until > parts_.clock.Wall() && !parts_.epochs.IsOwn(record.epoch);
}

bool Records::TakenElsewhere(uint64_t epoch, uint64_t stored_epoch) const {
  return parts_.store.shared() && stored_epoch != epoch && !parts_.epochs.IsOwn(stored_epoch);
}

session::SessionInfo Records::Describe(const store::SessionRecord& record) const {
  session::SessionInfo info = session::InfoOf(record, parts_.models, parts_.clock);
  info.attached = LivesElsewhere(record);
  if (info.attached) info.server = record.server;
  info.left_open =
      parts_.store.shared() && record.leased_until != absl::UnixEpoch() && !parts_.epochs.IsOwn(record.epoch);
  return info;
}

}  // namespace aaren::registrar
