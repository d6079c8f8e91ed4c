#ifndef AAREN_SERVER_IDENTITY_ROSTER_FILE_H_
#define AAREN_SERVER_IDENTITY_ROSTER_FILE_H_

// A RosterFile is the roster that a file has, and is read anew when the file changes: who is struck out of it may not
// call from two seconds later on, where Look is called every second. While the file cannot be read, or has a bad line,
// the roster before it holds, and the log says so.
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
#include "server/file/watched_file.h"
#include "server/identity/accounts/accounts.h"
#include "server/identity/roster.h"

namespace aaren::identity {

class RosterFile {
 public:
  // The file's error, or the roster's with the file's name. It tells `accounts` of limits, and gives callers theirs.
  static absl::StatusOr<std::unique_ptr<RosterFile>> Open(
      const std::string& path, std::shared_ptr<Accounts> accounts = std::make_shared<Accounts>());

  // Takes up a changed file. `now_ns` is monotonic.
  void Look(int64_t now_ns) ABSL_LOCKS_EXCLUDED(mutex_);

  // The list at the last Look.
  std::shared_ptr<const Roster> Get() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Of the tenants that the file names, by name.
  std::vector<const Account*> accounts() const;

  // Of these and all others.
  const std::shared_ptr<Accounts>& all_accounts() const { return accounts_; }

  // Its tenants, a line each, as a comment.
  std::string Describe() const;

 private:
  RosterFile(const std::string& path, std::shared_ptr<Accounts> accounts)
      : accounts_(std::move(accounts)), file_(path) {}
  absl::Status Read(int64_t now_ns) ABSL_LOCKS_EXCLUDED(mutex_);
  void SetLimits(const Roster& roster, int64_t now_ns) const;
  void Exchange(std::shared_ptr<const Roster> roster) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::shared_ptr<Accounts> accounts_;
  file::WatchedFile file_;                              // Look's only
  std::vector<std::shared_ptr<const Roster>> retired_;  // likewise; other threads may still read some
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Roster> roster_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ROSTER_FILE_H_
