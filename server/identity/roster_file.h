#ifndef AAREN_SERVER_IDENTITY_ROSTER_FILE_H_
#define AAREN_SERVER_IDENTITY_ROSTER_FILE_H_

// A RosterFile reads the roster from a file, and again when the file changes. A caller struck out of the file may not
// call from two seconds later on, if Look is called every second. While the file cannot be read, or has a bad line, the
// earlier roster holds, and the log tells why.
//
// Reading a list of 150,000 callers takes half a second, and freeing the old roster takes some of a second too. Look
// does both, while no other thread waits.
//
// Threading: Look by one thread at a time, all else by any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/identity/accounts/accounts.h"
#include "server/identity/roster.h"
#include "server/machine/file/watched_file.h"

namespace aaren::identity {

class RosterFile {
 public:
  // Errors: the file's, or the roster's with the file's name. Sets the limits in `accounts`, and gives each caller its
  // account.
  static absl::StatusOr<std::unique_ptr<RosterFile>> Open(
      const std::string& path, std::shared_ptr<Accounts> accounts = std::make_shared<Accounts>());

  // Takes up a changed file. `now_ns` is monotonic.
  void Look(int64_t now_ns) ABSL_LOCKS_EXCLUDED(mutex_);

  // The list at the last Look.
  std::shared_ptr<const Roster> Get() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The accounts of the tenants in the file, by name.
  std::vector<const Account*> accounts() const;

  // The accounts of all tenants, also of those not in the file.
  const std::shared_ptr<Accounts>& all_accounts() const { return accounts_; }

  // The tenants of the file, a line each, as a comment.
  std::string Describe() const;

 private:
  RosterFile(const std::string& path, std::shared_ptr<Accounts> accounts)
      : accounts_(std::move(accounts)), file_(path) {}
  absl::Status Read(int64_t now_ns) ABSL_LOCKS_EXCLUDED(mutex_);
  void SetLimits(const Roster& roster, int64_t now_ns) const;
  void Exchange(std::shared_ptr<const Roster> roster) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::shared_ptr<Accounts> accounts_;
  file::WatchedFile file_;                              // Look's only
  std::vector<std::shared_ptr<const Roster>> retired_;  // Look's only; other threads may still read some
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Roster> roster_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ROSTER_FILE_H_
