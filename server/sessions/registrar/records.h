#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_RECORDS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_RECORDS_H_

// Records are the stored sessions: how a record is found, loaded, judged and deleted, and how saves are written.
// Threading: belongs to the registrar's thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/epochs.h"
#include "server/sessions/registrar/mail.h"
#include "server/sessions/registrar/shards.h"
#include "server/sessions/registrar/transit.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/session_info.h"
#include "server/store/store.h"

namespace aaren::registrar {

struct LoadedRecord {
  store::SessionRecord record;
  Transit::Permit permit;  // for as long as the rows are held
};

class Records {
 public:
  using Found = absl::AnyInvocable<void(absl::StatusOr<store::SessionRecord>)>;
  using RowsLoaded = absl::AnyInvocable<void(absl::StatusOr<LoadedRecord>)>;
  using Ended = absl::AnyInvocable<void(std::optional<session::Refusal>)>;

  // All outlive the Records.
  struct Parts {
    Mail& mail;
    store::StateStore& store;
    Shards& shards;
    Epochs& epochs;
    Transit& transit;
    const models::ModelTable& models;
    const session::Clock& clock;
  };
  explicit Records(const Parts& parts) : parts_(parts) {}

  // The session's record without rows; NotFound if the store has none.
  void Find(std::string key, Found then);

  // Finds the record, but deletes an expired session: NotFound.
  void FindUnexpired(std::string key, Found then);

  // The found record with rows, as soon as the rows have room: at once if `held` is a permit for the rows, and without
  // a call of the store if the record has no rows. Another server may have written meanwhile, so the caller compares
  // the epochs.
  void Load(const store::SessionRecord& found, size_t row_bytes, Transit::Permit held, RowsLoaded then);

  // Deletes a record from Find, even an unreadable record. A missing record is no error.
  void Delete(const std::string& key, const absl::StatusOr<store::SessionRecord>& record, Ended then);

  // Writes the saves, and tells the shard the results.
  void Save(int shard, std::vector<store::SaveWrite> writes);

  // True if the session was unused for the time to live. A session open at another server is not judged by the server's
  // own clock.
  bool HasExpired(const store::SessionRecord& record) const;

  // True if another server has claimed the session as open, perhaps with tokens newer than the record.
  bool LivesElsewhere(const store::SessionRecord& record) const;

  // True if a record with `stored_epoch` says that another server has opened the session since the Open here that got
  // `epoch`. A session that was deleted and made anew meanwhile may have the smaller epoch.
  bool TakenElsewhere(uint64_t epoch, uint64_t stored_epoch) const;

  // The record for people.
  session::SessionInfo Describe(const store::SessionRecord& record) const;

 private:
  void LogFailures(const std::vector<save::SaveResult>& results);

  const Parts parts_;
  absl::Time log_failures_from_ = absl::InfinitePast();
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_RECORDS_H_
