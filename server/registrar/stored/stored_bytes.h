#ifndef AAREN_SERVER_REGISTRAR_STORED_STORED_BYTES_H_
#define AAREN_SERVER_REGISTRAR_STORED_STORED_BYTES_H_

// StoredBytes bounds what a tenant has in the store, where it has a limit for that. Beyond the limit no new session of
// the tenant is made: by an Open, an Import or a Fork. Those that are there go on.
//
// A session's size hardly changes once it is there, so only the making of one is checked. What is there is counted by
// reading the tenant's headers page by page: when the tenant comes first, every minute, and once more when something
// was refused, for sessions may have been deleted. One that takes long is made more seldom, a twentieth of the time at
// most: who asks and asks must not keep the store busy.
//
// Until a tenant was counted once, its new sessions wait. Between two counts the sessions made here are added. So a
// limit is passed only by what other servers of the store make between two counts.
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
#include "server/session/peer.h"
#include "server/session/refusal.h"
#include "server/store/store.h"

namespace aaren::registrar {

class Desk;  // server/registrar/desk.h

class StoredBytes {
 public:
  static constexpr uint64_t kBesideRows = 256;  // of a session: its header, about

  // `registrar` outlives this.
  explicit StoredBytes(Desk& registrar) : registrar_(registrar) {}

  // Counts what the tenant of this key has, if its account has a limit and nobody has counted yet. Null: no account.
  void Follow(absl::string_view key, identity::Account* account);

  using Then = absl::AnyInvocable<void(std::optional<session::Refusal>)>;

  // Without a refusal a session with `row_bytes` of rows may be made under this key, and is counted. It comes at once,
  // but for a tenant that nobody has counted yet.
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
    uint64_t made = 0;                        // since that began
    bool under_way = false;                   // another count is
    uint64_t found_so_far = 0;                // by that one
    uint64_t made_meanwhile = 0;              // since it began
    std::string after;                        // the last key that it has seen
    absl::Time began = absl::InfinitePast();  // the one under way, or the last
    absl::Time ended = absl::InfinitePast();  // the last one; never: none was made to its end
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

  Desk& registrar_;
  absl::flat_hash_map<std::string, Count> counts_;  // by tenant; of those that share an account each for itself
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_STORED_STORED_BYTES_H_
