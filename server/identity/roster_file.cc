#include "server/identity/roster_file.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/operate/log/log.h"

namespace aaren::identity {
namespace {

size_t CallersOf(const Roster& roster) {
  size_t callers = 0;
  for (const auto& [name, tenant] : roster.tenants()) callers += tenant.callers;
  return callers;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RosterFile>> RosterFile::Open(const std::string& path,
                                                             std::shared_ptr<Accounts> accounts) {
  std::unique_ptr<RosterFile> file(new RosterFile(path, std::move(accounts)));
  if (absl::Status status = file->Read(0); !status.ok()) return status;
  return file;
}

absl::Status RosterFile::Read(int64_t now_ns) {
  const absl::StatusOr<std::optional<std::string>> text = file_.Read();
  if (!text.ok()) return text.status();
  if (!text->has_value()) return absl::OkStatus();
  absl::StatusOr<Roster> roster = Roster::Parse(**text);
  if (!roster.ok()) return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": ", roster.status().message()));
  // A valid list that lets nobody in may be a mistake.
  if (CallersOf(*roster) == 0) log::Log(log::LogLevel::kWarning, "the list names no caller", {{"file", file_.path()}});
  // Limits come before callers: a new caller never calls without the limits of the tenant.
  SetLimits(*roster, now_ns);
  roster->BindAccounts([this](const std::string& tenant) { return accounts_->OfListed(tenant); });
  Exchange(std::make_shared<const Roster>(*std::move(roster)));
  return absl::OkStatus();
}

// The last owner of a roster frees every caller: the last owner must be Look, and no shard.
void RosterFile::Exchange(std::shared_ptr<const Roster> roster) {
  {
    absl::MutexLock lock(&mutex_);
    roster_.swap(roster);
  }
  if (roster != nullptr) retired_.push_back(std::move(roster));
}

// A tenant without callers may be about to get some, or a name may be misspelt and the limits hold for nobody.
void RosterFile::SetLimits(const Roster& roster, int64_t now_ns) const {
  absl::btree_map<std::string, TenantLimits> own;
  for (const auto& [name, tenant] : roster.tenants()) {
    if (tenant.limited) own.emplace(name, tenant.limits);
    if (tenant.callers > 0) continue;
    log::Log(log::LogLevel::kWarning, "a tenant with limits has no callers in the list",
             {{"file", file_.path()}, {"tenant", name}});
  }
  accounts_->SetLimits(std::move(own), roster.others(), now_ns);
}

std::string RosterFile::Describe() const {
  const std::shared_ptr<const Roster> roster = Get();
  std::string text;
  for (const auto& [name, tenant] : roster->tenants()) {
    const TenantLimits& limits = tenant.limited ? tenant.limits : roster->others();
    absl::StrAppend(&text, "# tenant ", name, ": ", tenant.callers, " callers, ", ToString(limits), "\n");
  }
  absl::StrAppend(&text, "# each other tenant: ", ToString(roster->others()), "\n");
  return text;
}

std::vector<const Account*> RosterFile::accounts() const {
  std::vector<const Account*> accounts;
  const std::shared_ptr<const Roster> roster = Get();
  for (const auto& [name, tenant] : roster->tenants()) accounts.push_back(accounts_->OfListed(name));
  return accounts;
}

std::shared_ptr<const Roster> RosterFile::Get() const {
  absl::MutexLock lock(&mutex_);
  return roster_;
}

void RosterFile::Look(int64_t now_ns) {
  // A count of 1 means that no other thread reads the old roster any more.
  std::erase_if(retired_, [](const auto& roster) { return roster.use_count() == 1; });
  if (absl::Status status = Read(now_ns); !status.ok()) {
    log::Log(log::LogLevel::kError, "the list of callers stays as it was", {{"reason", std::string(status.message())}});
  }
}

}  // namespace aaren::identity
