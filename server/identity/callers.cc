#include "server/identity/callers.h"

#include <pthread.h>
#include <time.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace aaren::identity {
namespace {

constexpr absl::string_view kByKey = "key:";        // before the fingerprint, in Caller::known_by
constexpr uint64_t kVainMicrosPerSecond = 50'000;   // a twentieth of a core
constexpr absl::Duration kLook = absl::Seconds(1);  // a caller struck out is refused within two seconds

// The core time used by this thread: while the thread waits for a core, a check costs nobody anything.
int64_t ThreadMicros() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1'000'000 + used.tv_nsec / 1'000;
}

}  // namespace

Callers::Callers(std::unique_ptr<RosterFile> roster, std::unique_ptr<KeySetFile> keys, WebTokenRules rules)
    : roster_(std::move(roster)),
      accounts_(roster_ == nullptr ? std::make_shared<Accounts>() : roster_->all_accounts()),
      keys_(std::move(keys)),
      rules_(std::move(rules)) {
  in_vain_.Set(kVainMicrosPerSecond);
}

Callers::~Callers() {
  ending_.Notify();
  if (watch_.joinable()) watch_.join();
}

void Callers::Look(int64_t now_ns) {
  if (roster_ != nullptr) roster_->Look(now_ns);
  if (keys_ != nullptr) keys_->Look();
}

void Callers::Watch(std::function<int64_t()> now_ns) {
  watch_ = std::thread([this, now_ns = std::move(now_ns)] {
    while (!ending_.WaitForNotificationWithTimeout(kLook)) Look(now_ns());
  });
  pthread_setname_np(watch_.native_handle(), "callers");
}

std::optional<Caller> Callers::Known::Still(const Caller& caller, absl::Time wall) const {
  absl::string_view known_by = caller.known_by;
  if (!absl::ConsumePrefix(&known_by, kByKey)) return roster == nullptr ? std::nullopt : roster->Find(known_by);
  // A key that was taken out of the set ends the rights of all tokens signed by the key.
  if (keys == nullptr || !keys->Has(known_by) || wall >= caller.ends) return std::nullopt;
  return caller;
}

Callers::Known Callers::Get() const {
  return {roster_ == nullptr ? nullptr : roster_->Get(), keys_ == nullptr ? nullptr : keys_->Get()};
}

absl::StatusOr<Caller> Callers::FindToken(absl::string_view token, int64_t now_ns, absl::Time wall) const {
  if (roster_ != nullptr) {
    // The list comes first: a hash costs a microsecond, a signature fifty times as much and more.
    if (std::optional<Caller> caller = roster_->Get()->FindToken(token)) return *std::move(caller);
  }
  if (keys_ == nullptr) return absl::UnauthenticatedError("its token is not in the list");
  return FindWebToken(token, now_ns, wall);
}

absl::StatusOr<Caller> Callers::FindWebToken(absl::string_view token, int64_t now_ns, absl::Time wall) const {
  const std::shared_ptr<const KeySet> keys = keys_->Get();
  std::optional<WebToken> says = verified_.Find(token, *keys, wall);
  if (!says) {
    // Remembered tokens never get here: known callers call on while somebody has signatures checked in vain.
    if (!in_vain_.Admits(now_ns)) return absl::ResourceExhaustedError("too many signatures were checked in vain");
    const int64_t begin = ThreadMicros();
    absl::StatusOr<WebToken> read = WebToken::Verify(token, *keys, rules_, wall);
    if (!read.ok()) {
      // Good tokens are remembered and checked once, so only refused tokens could use up a core.
      in_vain_.Charge(static_cast<uint64_t>(ThreadMicros() - begin), now_ns);
      return absl::UnauthenticatedError(absl::StrCat("its token: ", read.status().message()));
    }
    verified_.Remember(token, *read, wall);
    says = *std::move(read);
  }
  Caller caller;
  caller.role = says->role;
  caller.known_by = absl::StrCat(kByKey, says->fingerprint);
  caller.ends = says->ends;
  caller.account = accounts_->OfToken(says->tenant);
  caller.tenant = std::move(says->tenant);
  return caller;
}

std::optional<Caller> Callers::FindName(absl::string_view name) const {
  return roster_ == nullptr ? std::nullopt : roster_->Get()->FindName(name);
}

std::vector<const Account*> Callers::listed_accounts() const {
  return roster_ == nullptr ? std::vector<const Account*>() : roster_->accounts();
}

}  // namespace aaren::identity
