#include "server/sessions/registrar/sweep.h"

#include <utility>

#include "server/sessions/registrar/desk.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

constexpr size_t kSweepPage = 1000;

}  // namespace

void Sweep::Begin(absl::Duration ttl) {
  if (after_) return;
  ttl_ = ttl;
  after_ = "";
  NextPage();
}

void Sweep::NextPage() {
  using Page = absl::StatusOr<std::vector<store::SessionRecord>>;
  desk_.store.List("", *after_, kSweepPage, desk_.mail.Back<Page>([this](const Page& page) {
    if (page.ok()) OnPage(*page);
    const bool more = page.ok() && page->size() == kSweepPage;
    if (more && !desk_.mail.leaving()) return desk_.mail.PostPage([this] { NextPage(); });
    leased_.EndWalk();
    after_.reset();
  }));
}

// A session with an entry is in a shard, or an operation wants the session right now. A record may say that a stream
// has the session open, at a server that has ended without a word. A running server writes open sessions anew every
// eighth of the time to live, so a record that stands for half of the time to live is abandoned.
void Sweep::OnPage(const std::vector<store::SessionRecord>& page) {
  if (!page.empty()) after_ = page.back().key;
  for (const store::SessionRecord& record : page) {
    if (record.last_active + ttl_ > desk_.clock.Earliest()) continue;
    if (desk_.owners.Contains(record.key)) continue;
    const UnchangedSessions::Sign sign = {record.epoch, record.last_active};
    if (desk_.records.HasExpired(record) || leased_.Stood(record.key, sign, desk_.clock.Now(), ttl_ / 2)) {
      Delete(record);
    }
  }
}

void Sweep::Delete(const store::SessionRecord& record) {
  auto deleted = [this, key = record.key, epoch = record.epoch](const store::WriteResult& result) {
    if (!result.status.ok()) return;
    desk_.shards.Tell(0, [](SessionOwner& owner) { owner.Swept(1); });
    desk_.shards.TellDemoted(key, epoch + 1, session::SessionNotFound(session::SessionId(key)));
  };
  desk_.store.Delete(record.key, record.epoch, desk_.mail.Back<store::WriteResult>(std::move(deleted)));
}

}  // namespace aaren::registrar
