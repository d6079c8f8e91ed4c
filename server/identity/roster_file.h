#ifndef AAREN_SERVER_IDENTITY_ROSTER_FILE_H_
#define AAREN_SERVER_IDENTITY_ROSTER_FILE_H_

// A RosterFile is the roster that a file has, and is read anew when the file changes: who is struck out of it may not
// call from two seconds later on. While the file cannot be read, or has a bad line, the roster before it holds, and the
// log says so.
//
// Threading: safe.

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
#include "server/identity/attempts.h"
#include "server/identity/roster.h"

namespace aaren::identity {

class RosterFile {
 public:
  // The file's error, or the roster's with the file's name. It tells `accounts` of limits, and gives callers theirs.
  static absl::StatusOr<std::unique_ptr<RosterFile>> Open(
      const std::string& path, std::shared_ptr<Accounts> accounts = std::make_shared<Accounts>());

  // As the file is now, or was two seconds ago. `now_ns` is monotonic.
  std::shared_ptr<const Roster> Get(int64_t now_ns) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Of the tenants that the file names now, by name.
  std::vector<const Account*> accounts() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Of these and all others.
  const std::shared_ptr<Accounts>& all_accounts() const { return accounts_; }

  // Its tenants, a line each, as a comment.
  std::string Describe() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Of those whom the roster does not know.
  Attempts& attempts() const { return attempts_; }

 private:
  RosterFile(const std::string& path, std::shared_ptr<Accounts> accounts)
      : accounts_(std::move(accounts)), file_(path) {}
  absl::Status Read(int64_t now_ns) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetLimits(const Roster& roster, int64_t now_ns) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Accounts> accounts_;
  mutable absl::Mutex mutex_;
  mutable file::WatchedFile file_ ABSL_GUARDED_BY(mutex_);
  mutable std::shared_ptr<const Roster> roster_ ABSL_GUARDED_BY(mutex_);
  mutable Attempts attempts_;
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ROSTER_FILE_H_
