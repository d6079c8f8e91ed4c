// A page of a tenant's sessions on the server: sessions in a shard, by the registrar's table, and demoted sessions, by
// the shards. The store is not asked. Sessions come and go while a client reads page by page; a lasting session is
// listed once.

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

class ListHereOperation : public std::enable_shared_from_this<ListHereOperation> {
 public:
  ListHereOperation(Desk& desk, std::string prefix, size_t page_size, Sessions::Callback<HerePage> done)
      : desk_(desk), prefix_(std::move(prefix)), page_size_(page_size), done_(std::move(done)) {}

  void Begin(const std::string& after) {
    std::map<int, HereQuery> queries;
    for (int shard = 0; shard < desk_.shards.count(); ++shard) queries[shard] = {{}, prefix_, after, page_size_ + 1};
    TakeOwned(after, queries);
    waiting_ = queries.size();
    if (waiting_ == 0) return Answer();
    for (auto& [shard, query] : queries) {
      desk_.shards.Ask(
          shard, [query = std::move(query)](SessionOwner& owner) { return owner.DescribeHere(query); },
          [self = shared_from_this()](HereReply reply) { self->OnReply(std::move(reply)); });
    }
  }

 private:
  void TakeOwned(const std::string& after, std::map<int, HereQuery>& queries) {
    const OwnerTable::Entries& entries = desk_.owners.entries();
    auto next = after < prefix_ ? entries.lower_bound(absl::string_view(prefix_))
                                : entries.upper_bound(absl::string_view(after));
    size_t left = page_size_ + 1;
    for (; next != entries.end() && absl::StartsWith((*next)->key.view(), prefix_); ++next) {
      if ((*next)->owner == kAtRest) continue;
      queries[(*next)->owner].keys.push_back((*next)->name());
      if (--left > 0) continue;
      last_owned_ = (*next)->name();
      return;
    }
  }

  void OnReply(HereReply reply) {
    for (auto& [key, session] : reply) found_.insert_or_assign(std::move(key), std::move(session));
    if (--waiting_ == 0) Answer();
  }

  // Behind the last key looked up nothing is known, even if sessions before the key have gone meanwhile.
  void Answer() {
    std::string last = last_owned_;
    if (!last.empty()) found_.erase(found_.upper_bound(last), found_.end());
    if (found_.size() > page_size_) {
      const auto end = std::next(found_.begin(), static_cast<ptrdiff_t>(page_size_));
      last = std::prev(end)->first;
      found_.erase(end, found_.end());
    }
    session::Outcome<HerePage> outcome;
    if (!last.empty()) outcome.value.next_page_token = EncodePageToken(prefix_, last);
    for (auto& [key, session] : found_) outcome.value.sessions.push_back(std::move(session));
    done_(std::move(outcome));
  }

  Desk& desk_;
  const std::string prefix_;
  const size_t page_size_;
  Sessions::Callback<HerePage> done_;
  std::map<std::string, SessionHere> found_;  // by key
  std::string last_owned_;                    // the last key looked up, if more may follow
  size_t waiting_ = 0;                        // shards yet to answer
};

}  // namespace

void ListHere(Desk& desk, const std::string& prefix, const std::string& after, size_t page_size,
              Sessions::Callback<HerePage> done) {
  std::make_shared<ListHereOperation>(desk, prefix, page_size, std::move(done))->Begin(after);
}

}  // namespace aaren::registrar
