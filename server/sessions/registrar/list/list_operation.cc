// A page of a list: the records of the store and the sessions of the shards, in order of key. Sessions come and go
// while a client reads page by page; a lasting session is listed once.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/sessions/registrar/list/page_token.h"
#include "server/sessions/registrar/operations.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

class ListOperation : public std::enable_shared_from_this<ListOperation> {
 public:
  ListOperation(Desk& desk, std::string prefix, size_t page_size, Sessions::Callback<SessionPage> done)
      : desk_(desk), prefix_(std::move(prefix)), page_size_(page_size), done_(std::move(done)) {}

  void Begin(const std::string& after) {
    desk_.store.List(prefix_, after, page_size_ + 1,
                     desk_.mail.Back<absl::StatusOr<std::vector<store::SessionRecord>>>(
                         [self = shared_from_this(), after](absl::StatusOr<std::vector<store::SessionRecord>> records) {
                           self->OnRecords(after, std::move(records));
                         }));
  }

 private:
  void OnRecords(const std::string& after, const absl::StatusOr<std::vector<store::SessionRecord>>& records) {
    if (!records.ok()) {
      session::Outcome<SessionPage> outcome;
      outcome.refusal = session::StoreRefusal(records.status());
      return done_(std::move(outcome));
    }
    for (const store::SessionRecord& record : *records) {
      found_[record.key] = desk_.records.Describe(record);
      const bool known = record.epoch != 0;  // not damaged
      if (known && desk_.records.HasExpired(record) && !IsResident(record.key)) left_out_.push_back(record.key);
    }
    AddResident(after);
    if (found_.size() > page_size_) {
      more_ = true;
      found_.erase(std::next(found_.begin(), static_cast<ptrdiff_t>(page_size_)), found_.end());
    }
    AskShards();
  }

  bool IsResident(const std::string& key) const {
    const auto entry = desk_.owners.entries().find(absl::string_view(key));
    return entry != desk_.owners.entries().end() && (*entry)->owner != kAtRest;
  }

  void AddResident(const std::string& after) {
    const OwnerTable::Entries& entries = desk_.owners.entries();
    auto next = after < prefix_ ? entries.lower_bound(absl::string_view(prefix_))
                                : entries.upper_bound(absl::string_view(after));
    size_t left = page_size_ + 1;
    for (; next != entries.end() && left > 0 && absl::StartsWith((*next)->key.view(), prefix_); ++next) {
      if ((*next)->owner == kAtRest) continue;
      found_.try_emplace((*next)->name());
      --left;
    }
  }

  // A shard knows the sessions of its own better than the store.
  void AskShards() {
    std::map<int, std::vector<std::string>> by_owner;
    for (const auto& [key, info] : found_) {
      const auto entry = desk_.owners.entries().find(absl::string_view(key));
      if (entry != desk_.owners.entries().end() && (*entry)->owner != kAtRest) {
        by_owner[(*entry)->owner].push_back(key);
      }
    }
    waiting_ = by_owner.size();
    if (waiting_ == 0) return AskAtRest();
    for (auto& [owner, keys] : by_owner) {
      desk_.shards.Ask(
          owner, [keys = keys](SessionOwner& shard) { return shard.Describe(keys); },
          [self = shared_from_this(), keys = keys](std::vector<std::optional<session::SessionInfo>> infos) {
            self->OnDescribed(keys, infos);
          });
    }
  }

  void OnDescribed(const std::vector<std::string>& keys,
                   const std::vector<std::optional<session::SessionInfo>>& infos) {
    for (size_t i = 0; i < keys.size(); ++i) {
      if (infos[i]) {
        Describe(*infos[i], found_[keys[i]]);
      } else {
        DescribeAtRest(keys[i]);
      }
    }
    OneLess();
  }

  // A shard's copy is stale where the record says that another server has the session.
  void Describe(const session::SessionInfo& here, session::SessionInfo& found) {
    if (!desk_.records.TakenElsewhere(here.epoch, found.epoch)) found = here;
  }

  // A session gone from the shard meanwhile is at rest, or gone; a moved session keeps the older description.
  void DescribeAtRest(const std::string& key) {
    ++waiting_;
    desk_.records.Find(key, [self = shared_from_this(), key](const absl::StatusOr<store::SessionRecord>& record) {
      if (record.ok()) {
        self->found_[key] = self->desk_.records.Describe(*record);
      } else if (self->found_[key].session_id.empty()) {
        self->left_out_.push_back(key);
      }
      self->OneLess();
    });
  }

  void OneLess() {
    if (--waiting_ == 0) AskAtRest();
  }

  // Streams may have demoted sessions open.
  void AskAtRest() {
    std::vector<std::string> keys;
    for (const auto& [key, info] : found_) {
      if (!info.resident) keys.push_back(key);
    }
    desk_.shards.AskDemoted(keys, [self = shared_from_this(), keys](const std::vector<bool>& attached) {
      for (size_t i = 0; i < keys.size(); ++i) {
        if (attached[i]) self->found_[keys[i]].attached = true;
      }
      self->Answer();
    });
  }

  void Answer() {
    session::Outcome<SessionPage> outcome;
    if (more_) outcome.value.next_page_token = EncodePageToken(prefix_, found_.rbegin()->first);
    for (const std::string& key : left_out_) found_.erase(key);
    for (auto& [key, info] : found_) outcome.value.sessions.push_back(std::move(info));
    done_(std::move(outcome));
  }

  Desk& desk_;
  const std::string prefix_;
  const size_t page_size_;
  Sessions::Callback<SessionPage> done_;
  std::map<std::string, session::SessionInfo> found_;  // by key
  std::vector<std::string> left_out_;
  bool more_ = false;
  size_t waiting_ = 0;  // unanswered shards and loads
};

}  // namespace

void List(Desk& desk, const std::string& prefix, const std::string& after, size_t page_size,
          Sessions::Callback<SessionPage> done) {
  std::make_shared<ListOperation>(desk, prefix, page_size, std::move(done))->Begin(after);
}

}  // namespace aaren::registrar
