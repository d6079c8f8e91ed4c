// One page of a tenant's sessions that are here: those that shards have, as the registrar's table says, and those that
// are demoted, which only their shards know. The store is not asked. Sessions come and go while a list is read page by
// page; one that is here all the time is listed once.

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

constexpr size_t kMostHere = 200;  // a page

class ListHereOperation : public std::enable_shared_from_this<ListHereOperation> {
 public:
  ListHereOperation(Desk& registrar, std::string prefix, size_t page_size, Sessions::Callback<HerePage> done)
      : registrar_(registrar), prefix_(std::move(prefix)), page_size_(page_size), done_(std::move(done)) {}

  void Begin(const std::string& after) {
    std::map<int, HereQuery> queries;
    for (int shard = 0; shard < registrar_.shard_count(); ++shard)
      queries[shard] = {{}, prefix_, after, page_size_ + 1};
    TakeOwned(after, queries);
    waiting_ = queries.size();
    if (waiting_ == 0) return Answer();
    for (auto& [shard, query] : queries) {
      registrar_.Ask(
          shard, [query = std::move(query)](SessionOwner& owner) { return owner.DescribeHere(query); },
          [self = shared_from_this()](HereReply reply) { self->OnReply(std::move(reply)); });
    }
  }

 private:
  void TakeOwned(const std::string& after, std::map<int, HereQuery>& queries) {
    const Desk::Entries& entries = registrar_.entries();
    auto next = after < prefix_ ? entries.lower_bound(absl::string_view(prefix_))
                                : entries.upper_bound(absl::string_view(after));
    size_t left = page_size_ + 1;
    for (; next != entries.end() && absl::StartsWith((*next)->key.view(), prefix_); ++next) {
      if ((*next)->owner == Desk::kAtRest) continue;
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

  // Behind the last that was looked up nothing is known, however many of those before have gone meanwhile.
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

  Desk& registrar_;
  const std::string prefix_;
  const size_t page_size_;
  Sessions::Callback<HerePage> done_;
  std::map<std::string, SessionHere> found_;  // by key
  std::string last_owned_;                    // of those that were looked up, if there may be more
  size_t waiting_ = 0;                        // shards that have not answered
};

}  // namespace

void Registrar::ListHere(std::string tenant, std::string page_token, size_t page_size, Callback<HerePage> done) {
  const std::string keys = session::SessionKey(tenant, "");
  const std::optional<std::string> after = page_token.empty() ? std::string() : DecodePageToken(keys, page_token);
  if (!after) {
    return done(session::Refused<HerePage>(
        session::InvalidField("page_token", "this server did not give it out for this list")));
  }
  if (page_size < 1 || page_size > kMostHere) {
    const std::string problem = absl::StrCat(page_size, " is not within 1 .. ", kMostHere);
    return done(session::Refused<HerePage>(session::InvalidField("page_size", problem)));
  }
  desk_.PostPage([desk = &desk_, keys, after = *after, page_size, done = std::move(done)]() mutable {
    std::make_shared<ListHereOperation>(*desk, keys, page_size, std::move(done))->Begin(after);
  });
}

}  // namespace aaren::registrar
