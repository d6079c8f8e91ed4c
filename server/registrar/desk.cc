#include "server/registrar/desk.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "server/log/log.h"
#include "server/registrar/open/open_check.h"
#include "server/session/record.h"
#include "server/session/refusal.h"

namespace aaren::registrar {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();
constexpr size_t kSweepPage = 1000;
constexpr uint64_t kEpochs = 1024;  // drawn from the store at once
constexpr size_t kOwnBlocks = 256;  // whose leases are known as one's own

constexpr absl::Duration kFailuresApart = absl::Seconds(10);  // lines about them

// A shard knows no other time than the clock's Now.
void ToStored(store::SessionHeader& header, const session::Clock& clock) {
  header.last_active = clock.StampOf(header.last_active);
  if (header.leased_until != absl::UnixEpoch()) header.leased_until = clock.WallAt(header.leased_until);
}

}  // namespace

Desk::Desk(store::StateStore& store, const models::ModelTable& models, const session::Clock& clock,
           size_t transit_bytes, absl::Duration patience)
    : store_(store, patience, [&clock] { return clock.Now(); }),
      models_(models),
      clock_(clock),
      transit_(transit_bytes, [inbox = std::weak_ptr<Inbox>(inbox_)](session::Mailbox::Message message) {
        if (const auto held = inbox.lock()) held->mailbox.Post(std::move(message));
      }) {}

// Of those that will be tried again the first: a full disk fails them all for one reason, and again and again.
void Desk::LogFailures(const std::vector<save::SaveResult>& results) {
  const auto failed = std::find_if(results.begin(), results.end(), [](const save::SaveResult& result) {
    return !result.written.status.ok() && !absl::IsAborted(result.written.status);
  });
  if (failed == results.end() || now() < log_failures_from_) return;
  log_failures_from_ = now() + kFailuresApart;
  log::Log(
      log::LogLevel::kWarning, "save failed",
      {{"session", failed->key}, {"saves", absl::StrCat(results.size())}, {"why", failed->written.status.ToString()}});
}

void Desk::Start() {
  inbox_->mailbox.SetWaker([inbox = inbox_.get()] {
    absl::MutexLock lock(&inbox->mutex);
    inbox->awake = true;
  });
  thread_ = std::thread([this] { Run(); });
}

Desk::~Desk() {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&inbox_->mutex);
    inbox_->stopping = true;
  }
  thread_.join();
}

void Desk::Run() {
  Inbox& inbox = *inbox_;
  const auto called = [&inbox]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(inbox.mutex) { return inbox.awake || inbox.stopping; };
  const auto awake = [&inbox]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(inbox.mutex) { return inbox.awake; };
  for (bool stopping = false; !Finished(stopping);) {
    {
      absl::MutexLock lock(&inbox.mutex);
      // The store still has calls of ours: their answers wake us.
      stopping ? inbox.mutex.Await(absl::Condition(&awake)) : inbox.mutex.Await(absl::Condition(&called));
      inbox.awake = false;
      stopping = leaving_ = inbox.stopping;
    }
    while (Drain(kAll)) {
    }
  }
}

bool Desk::Drain(size_t at_most) {
  const bool any = inbox_->mailbox.Drain(at_most);
  if (pages_.empty()) return any;
  absl::AnyInvocable<void()> page = std::move(pages_.front());
  pages_.pop_front();
  page();
  return true;
}

void Desk::AddShard(SessionOwner& owner) {
  shards_.push_back(&owner);
  const OwnerLimits limits = owner.limits();
  saving_ |= limits.saves;
  ttl_ = std::max(ttl_, limits.session_ttl);
  max_channels_ = std::max(max_channels_, limits.max_channels);
  lease_ = limits.lease;
}

void Desk::Submit(const std::string& key, Operation operation) {
  auto found = entries_.find(absl::string_view(key));
  if (found == entries_.end()) {
    auto entry = std::make_unique<Entry>();
    entry->key = session::CompactKey(key);
    found = entries_.insert(std::move(entry)).first;
  }
  Entry& entry = **found;
  if (entry.waiting) {
    // It waits in the entry and not in the mailbox, so that other sessions go on.
    entry.waiting->push_back(std::move(operation));
    return;
  }
  entry.waiting = std::make_unique<std::deque<Operation>>();
  operation(entry);
}

bool Desk::Busy(const std::string& key) const {
  const auto found = entries_.find(absl::string_view(key));
  return found != entries_.end() && (*found)->waiting != nullptr;
}

void Desk::Finish(Entry& entry) {
  if (!entry.waiting->empty()) {
    Operation next = std::move(entry.waiting->front());
    entry.waiting->pop_front();
    // Through the mailbox: a long queue of operations that finish at once must not nest.
    inbox_->mailbox.Post([&entry, next = std::move(next)]() mutable { next(entry); });
    return;
  }
  entry.waiting.reset();
  if (entry.owner == kAtRest) entries_.erase(entries_.find(entry.key.view()));
}

void Desk::Open(std::shared_ptr<const OpenCall> call) {
  Post([this, call = std::move(call)] {
    Submit(call->key, [this, call](Entry& entry) { RunOpen(*this, entry, call); });
  });
}

void Desk::Released(std::string key) {
  Post([this, key = std::move(key)] {
    const auto found = entries_.find(absl::string_view(key));
    if (found == entries_.end()) return;
    // An operation that is under way sees that its question met nobody, and begins again.
    (*found)->owner = kAtRest;
    if (!(*found)->waiting) entries_.erase(found);
  });
}

void Desk::Save(int shard, std::vector<store::SaveWrite> writes) {
  Post([this, shard, writes = std::move(writes)]() mutable { SaveBatch(shard, std::move(writes)); });
}

void Desk::SaveBatch(int shard, std::vector<store::SaveWrite> writes) {
  std::vector<save::SaveResult> results;
  results.reserve(writes.size());
  // The store takes the writes for itself: what the shard has to hear of them is noted before.
  for (store::SaveWrite& write : writes) {
    results.push_back(save::ResultOf(write));
    ToStored(write.header, clock_);
  }
  store_.Save(std::move(writes),
              Back<std::vector<store::WriteResult>>(
                  [this, shard, results = std::move(results)](std::vector<store::WriteResult> written) mutable {
                    for (size_t i = 0; i < results.size(); ++i) results[i].written = std::move(written[i]);
                    LogFailures(results);
                    Tell(shard, [results = std::move(results)](SessionOwner& owner) { owner.SavesDone(results); });
                  }));
}

void Desk::Find(std::string key, Loaded then) {
  store_.Find(std::move(key), Back<absl::StatusOr<store::SessionRecord>>(std::move(then)));
}

void Desk::Load(const store::SessionRecord& found, size_t row_bytes, Transit::Permit held, RowsLoaded then) {
  if (found.saves.empty()) return then(LoadedRecord{found, std::move(held)});
  auto load = [this, key = found.key, then = std::move(then)](Transit::Permit permit) mutable {
    auto loaded = [permit = std::move(permit),
                   then = std::move(then)](absl::StatusOr<store::SessionRecord> record) mutable {
      if (!record.ok()) return then(record.status());
      then(LoadedRecord{*std::move(record), std::move(permit)});
    };
    store_.Load(std::move(key), Back<absl::StatusOr<store::SessionRecord>>(std::move(loaded)));
  };
  if (held != nullptr) return load(std::move(held));
  transit_.Enter(found.saves.size() * found.origin.channels * row_bytes, std::move(load));
}

bool Desk::HasExpired(const store::SessionRecord& record) const {
  if (ttl_ == absl::ZeroDuration() || record.last_active + ttl_ > clock_.Earliest()) return false;
  return !store_.shared() || record.leased_until == absl::UnixEpoch();
}

// A session is its own server's business for as long as this is the one that drew its epoch.
bool Desk::LivesElsewhere(const store::SessionRecord& record) const {
  return store_.shared() && record.leased_until > clock_.Wall() && !IsOwnEpoch(record.epoch);
}

bool Desk::IsOwnEpoch(uint64_t epoch) const {
  return std::any_of(own_epochs_.begin(), own_epochs_.end(),
                     [epoch](const auto& block) { return block.first <= epoch && epoch < block.second; });
}

session::SessionInfo Desk::Describe(const store::SessionRecord& record) const {
  session::SessionInfo info = session::InfoOf(record, models_, clock_);
  info.attached = LivesElsewhere(record);
  if (info.attached) info.server = record.server;
  return info;
}

// The sweep takes a page at a time, so an operation may meet a record that is past its time.
void Desk::FindUnexpired(std::string key, Loaded then) {
  Find(std::move(key), [this, then = std::move(then)](absl::StatusOr<store::SessionRecord> record) mutable {
    if (!record.ok() || !HasExpired(*record)) return then(std::move(record));
    store_.Delete(record->key, record->epoch,
                  Back<store::WriteResult>([this, key = record->key, epoch = record->epoch,
                                            then = std::move(then)](store::WriteResult result) mutable {
                    if (result.status.ok())
                      TellDemoted(key, epoch + 1, session::SessionNotFound(session::SessionId(key)));
                    then(result.status.ok() ? absl::NotFoundError("the session has expired") : result.status);
                  }));
  });
}

void Desk::DrawEpoch(uint64_t above, absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> then) {
  next_epoch_ = std::max(next_epoch_, std::min(above + 1, end_epoch_));
  if (next_epoch_ < end_epoch_) return then(next_epoch_++);
  epoch_waiters_.push_back({above, std::move(then)});
  if (epoch_waiters_.size() == 1) AskForEpochs(above);
}

// A store that has lost its counter, but not its sessions, is taken beyond them at once.
void Desk::AskForEpochs(uint64_t above) {
  const bool behind = end_epoch_ > 0 && above >= end_epoch_;
  const uint64_t count = behind ? above - end_epoch_ + kEpochs : kEpochs;
  store_.ReserveEpochs(count, Back<absl::StatusOr<uint64_t>>([this, count](absl::StatusOr<uint64_t> first) {
                         OnEpochs(std::move(first), count);
                       }));
}

void Desk::OnEpochs(absl::StatusOr<uint64_t> first, uint64_t count) {
  if (first.ok()) {
    next_epoch_ = *first;
    end_epoch_ = *first + count;
    own_epochs_.emplace_front(next_epoch_, end_epoch_);
    if (own_epochs_.size() > kOwnBlocks) own_epochs_.pop_back();
  }
  for (EpochWaiter& waiter : std::exchange(epoch_waiters_, {})) {
    if (!first.ok()) {
      waiter.then(first.status());
    } else {
      DrawEpoch(waiter.above, std::move(waiter.then));  // a block more, if so many wait
    }
  }
}

// What others may take away is asked for also while nobody uses it; the rest shows when it is used.
void Desk::WatchStore() {
  Post([this] {
    store_.Look();
    stored_.Refresh();
    if (watching_ || leaving_ || (health().available() && !store_.shared())) return;
    watching_ = true;
    store_.TryWrite(Back<absl::Status>([this](const absl::Status&) { watching_ = false; }));
  });
}

// Of one session: its rows, whatever the model.
size_t Desk::LargestSession() const {
  size_t row_bytes = 0;
  for (const auto& model : models_.models()) row_bytes = std::max(row_bytes, model->engine->row_bytes());
  return max_channels_ * row_bytes;
}

void Desk::Sweep(absl::Duration ttl) {
  Post([this, ttl] {
    if (sweep_after_) return;  // the one before goes on
    sweep_after_ = "";
    SweepPage(ttl);
  });
}

void Desk::SweepPage(absl::Duration ttl) {
  store_.List("", *sweep_after_, kSweepPage,
              Back<absl::StatusOr<std::vector<store::SessionRecord>>>(
                  [this, ttl](const absl::StatusOr<std::vector<store::SessionRecord>>& page) {
                    if (page.ok()) SweepRecords(*page, ttl);
                    SweepOn(page.ok() && page->size() == kSweepPage, ttl);
                  }));
}

void Desk::SweepRecords(const std::vector<store::SessionRecord>& page, absl::Duration ttl) {
  if (!page.empty()) sweep_after_ = page.back().key;
  for (const store::SessionRecord& record : page) {
    if (record.last_active + ttl > clock_.Earliest()) continue;
    if (entries_.contains(absl::string_view(record.key))) continue;  // resident, or somebody wants it right now
    if (!HasExpired(record) && !lease_watch_.IsAbandoned(record, now(), ttl / 2)) continue;
    store_.Delete(
        record.key, record.epoch,
        Back<store::WriteResult>([this, key = record.key, epoch = record.epoch](const store::WriteResult& result) {
          if (!result.status.ok()) return;
          Tell(0, [](SessionOwner& owner) { owner.Swept(1); });
          TellDemoted(key, epoch + 1, session::SessionNotFound(session::SessionId(key)));
        }));
  }
}

// The next page, after what else is asked meanwhile.
void Desk::SweepOn(bool more, absl::Duration ttl) {
  if (!more || leaving_) {
    lease_watch_.EndSweep();
    return sweep_after_.reset();
  }
  PostPage([this, ttl] { SweepPage(ttl); });
}

}  // namespace aaren::registrar
