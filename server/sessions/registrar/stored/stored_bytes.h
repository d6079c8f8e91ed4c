#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_STORED_STORED_BYTES_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_STORED_STORED_BYTES_H_

// StoredBytes bounds a tenant's bytes in the store, for tenants with a limit. Beyond the limit no Open, Import or Fork
// makes a new session of the tenant. Existing sessions go on.
//
// A session's size hardly changes, so only the making of a session is checked. A count reads the tenant's headers page
// by page: when the tenant comes first, every minute, and once more after a refusal, for sessions may have been
// deleted. A long count is repeated more seldom and takes a twentieth of the time at most: a caller that asks again and
// again must not keep the store busy.
//
// New sessions of a tenant wait for the first count. Between two counts the sessions made here are added. So only the
// sessions that other servers of the store make between two counts can pass the limit.
//
// Threading: belongs to the registrar's thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/identity/accounts/account.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/refusal.h"
#include "server/store/store.h"

namespace aaren::registrar {

struct Desk;  // server/sessions/registrar/desk.h

class StoredBytes {
 public:
  static constexpr uint64_t kBesideRows = 256;  // a session's header, about

  // `desk` outlives this.
  explicit StoredBytes(Desk& desk) : desk_(desk) {}

  // Counts the bytes of the key's tenant, if the account has a limit and the last count is old. Null: no account.
  void Follow(absl::string_view key, identity::Account* account);

  using Then = absl::AnyInvocable<void(std::optional<session::Refusal>)>;

  // Without a refusal a session with `row_bytes` of rows may be made under the key, and is counted. Answered at once,
  // or after the tenant's first count.
  void Take(absl::string_view key, identity::Account* account, uint64_t row_bytes, Then then);

  // Called about once a second.
  void Refresh();

 private:
  struct Waiter {
    uint64_t bytes;
    Then then;
  };
  struct Count {
    identity::Account* account = nullptr;
    uint64_t found = 0;                       // by the last count
    uint64_t made = 0;                        // since the last count began
    bool under_way = false;                   // a count is
    uint64_t found_so_far = 0;                // by the count under way
    uint64_t made_meanwhile = 0;              // since the count under way began
    std::string after;                        // the last key of the count under way
    absl::Time began = absl::InfinitePast();  // the count under way, or the last
    absl::Time ended = absl::InfinitePast();  // the last complete count; infinite past: none
    absl::Time last_use = absl::InfinitePast();
    std::vector<Waiter> waiting;  // for the first count
  };
  using Page = absl::StatusOr<std::vector<store::SessionRecord>>;

  Count& Of(const std::string& tenant, identity::Account* account);
  bool IsOlder(const Count& count, absl::Duration age) const;
  std::optional<session::Refusal> TakeNow(const std::string& tenant, Count& count, uint64_t bytes);
  void Begin(const std::string& tenant, Count& count);
  void CountPage(const std::string& tenant);
  void OnPage(const std::string& tenant, const Page& page);
  void Fail(Count& count, const session::Refusal& refusal);
  static void Tell(const std::string& tenant, const Count& count);

  Desk& desk_;
  absl::flat_hash_map<std::string, Count> counts_;  // by tenant, also of tenants that share an account
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_STORED_STORED_BYTES_H_
