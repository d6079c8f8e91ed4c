// One page of a list: the records of the store and the sessions of the shards, in order of key. Sessions come and go
// while a list is read page by page; one that is there all the time is listed once.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/registrar/list/page_token.h"
#include "server/registrar/registrar.h"
#include "server/session/refusal.h"

namespace aaren::registrar {
namespace {

class ListOperation : public std::enable_shared_from_this<ListOperation> {
 public:
  ListOperation(Desk& registrar, std::string prefix, size_t page_size, Sessions::Callback<SessionPage> done)
      : registrar_(registrar), prefix_(std::move(prefix)), page_size_(page_size), done_(std::move(done)) {}

  void Begin(const std::string& after) {
    registrar_.store().List(
        prefix_, after, page_size_ + 1,
        registrar_.Back<absl::StatusOr<std::vector<store::SessionRecord>>>(
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
      found_[record.key] = registrar_.Describe(record);
      const bool known = record.epoch != 0;  // not damaged
      if (known && registrar_.HasExpired(record) && !IsResident(record.key)) left_out_.push_back(record.key);
    }
    AddResident(after);
    if (found_.size() > page_size_) {
      more_ = true;
      found_.erase(std::next(found_.begin(), static_cast<ptrdiff_t>(page_size_)), found_.end());
    }
    AskShards();
  }

  bool IsResident(const std::string& key) const {
    const auto entry = registrar_.entries().find(absl::string_view(key));
    return entry != registrar_.entries().end() && (*entry)->owner != Desk::kAtRest;
  }

  void AddResident(const std::string& after) {
    const Desk::Entries& entries = registrar_.entries();
    auto next = after < prefix_ ? entries.lower_bound(absl::string_view(prefix_))
                                : entries.upper_bound(absl::string_view(after));
    size_t left = page_size_ + 1;
    for (; next != entries.end() && left > 0 && absl::StartsWith((*next)->key.view(), prefix_); ++next) {
      if ((*next)->owner == Desk::kAtRest) continue;
      found_.try_emplace((*next)->name());
      --left;
    }
  }

  // Shards know better than the store about the sessions that they hold.
  void AskShards() {
    std::map<int, std::vector<std::string>> by_owner;
    for (const auto& [key, info] : found_) {
      const auto entry = registrar_.entries().find(absl::string_view(key));
      if (entry != registrar_.entries().end() && (*entry)->owner != Desk::kAtRest) {
        by_owner[(*entry)->owner].push_back(key);
      }
    }
    waiting_ = by_owner.size();
    if (waiting_ == 0) return AskAtRest();
    for (auto& [owner, keys] : by_owner) {
      registrar_.Ask(
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
        found_[keys[i]] = *infos[i];
      } else {
        DescribeAtRest(keys[i]);
      }
    }
    OneLess();
  }

  // A session that has left its shard meanwhile is at rest, or gone; one that moved keeps its older description.
  void DescribeAtRest(const std::string& key) {
    ++waiting_;
    registrar_.Find(key, [self = shared_from_this(), key](const absl::StatusOr<store::SessionRecord>& record) {
      if (record.ok()) {
        self->found_[key] = self->registrar_.Describe(*record);
      } else if (self->found_[key].session_id.empty()) {
        self->left_out_.push_back(key);
      }
      self->OneLess();
    });
  }

  void OneLess() {
    if (--waiting_ == 0) AskAtRest();
  }

  // Streams may have sessions open whose rows were demoted.
  void AskAtRest() {
    std::vector<std::string> keys;
    for (const auto& [key, info] : found_) {
      if (!info.resident) keys.push_back(key);
    }
    registrar_.AskDemoted(keys, [self = shared_from_this(), keys](const std::vector<bool>& attached) {
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

  Desk& registrar_;
  const std::string prefix_;
  const size_t page_size_;
  Sessions::Callback<SessionPage> done_;
  std::map<std::string, session::SessionInfo> found_;  // by key
  std::vector<std::string> left_out_;
  bool more_ = false;
  size_t waiting_ = 0;  // shards and loads that have not answered
};

constexpr size_t kMaxPage = 1000;
constexpr size_t kDefaultPage = 100;

}  // namespace

void Registrar::List(std::string tenant, std::string prefix, std::string page_token, size_t page_size,
                     Callback<SessionPage> done) {
  const std::string keys = session::SessionKey(tenant, prefix);
  session::Outcome<SessionPage> refused;
  const std::optional<std::string> after = page_token.empty() ? std::string() : DecodePageToken(keys, page_token);
  if (!after) {
    refused.refusal = session::InvalidField("page_token", "this server did not give it out for this list");
  } else if (page_size > kMaxPage) {
    refused.refusal = session::InvalidField("page_size", absl::StrCat(page_size, ", the limit is ", kMaxPage));
  }
  if (refused.refusal) return done(std::move(refused));
  desk_.PostPage([desk = &desk_, keys, after = *after, page_size = page_size == 0 ? kDefaultPage : page_size,
                  done = std::move(done)]() mutable {
    std::make_shared<ListOperation>(*desk, keys, page_size, std::move(done))->Begin(after);
  });
}

}  // namespace aaren::registrar
