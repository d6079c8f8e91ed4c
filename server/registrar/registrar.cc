#include "server/registrar/registrar.h"

#include <algorithm>
#include <limits>

#include "server/registrar/open_check.h"
#include "server/registrar/registrar_impl.h"
#include "server/session/record.h"
#include "server/session/refusal.h"

namespace aaren {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

}  // namespace

Registrar::Impl::Impl(StateStore& store, const ModelTable& models, const Clock& clock)
    : store_(store), models_(models), clock_(clock) {}

void Registrar::Impl::Start() {
  mailbox_.SetWaker([this] {
    absl::MutexLock lock(&mutex_);
    awake_ = true;
  });
  thread_ = std::thread([this] { Run(); });
}

Registrar::Impl::~Impl() {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

void Registrar::Impl::Run() {
  const auto called = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return awake_ || stopping_; };
  for (bool stopping = false; !stopping;) {
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&called));
      awake_ = false;
      stopping = stopping_;
    }
    while (Drain(kAll)) {
    }
  }
}

bool Registrar::Impl::Drain(size_t at_most) {
  const bool any = mailbox_.Drain(at_most);
  if (pages_.empty()) return any;
  absl::AnyInvocable<void()> page = std::move(pages_.front());
  pages_.pop_front();
  page();
  return true;
}

void Registrar::Impl::AddShard(SessionOwner& owner) {
  shards_.push_back(&owner);
  const OwnerLimits limits = owner.limits();
  saving_ |= limits.saves;
  ttl_ = std::max(ttl_, limits.session_ttl);
  max_channels_ = std::max(max_channels_, limits.max_channels);
}

void Registrar::Impl::Submit(const std::string& key, Operation operation) {
  auto found = entries_.find(absl::string_view(key));
  if (found == entries_.end()) {
    auto entry = std::make_unique<Entry>();
    entry->key = CompactKey(key);
    found = entries_.insert(std::move(entry)).first;
  }
  Entry& entry = **found;
  if (entry.waiting) {
    entry.waiting->push_back(std::move(operation));
    return;
  }
  entry.waiting = std::make_unique<std::deque<Operation>>();
  operation(entry);
}

void Registrar::Impl::Finish(Entry& entry) {
  if (!entry.waiting->empty()) {
    Operation next = std::move(entry.waiting->front());
    entry.waiting->pop_front();
    // Through the mailbox: a long queue of operations that finish at once must not nest.
    mailbox_.Post([&entry, next = std::move(next)]() mutable { next(entry); });
    return;
  }
  entry.waiting.reset();
  if (entry.owner == kAtRest) entries_.erase(entries_.find(entry.key.view()));
}

void Registrar::Impl::Open(std::shared_ptr<const OpenCall> call) {
  Post([this, call = std::move(call)] {
    Submit(call->key, [this, call](Entry& entry) { RunOpen(*this, entry, call); });
  });
}

void Registrar::Impl::Released(std::string key) {
  Post([this, key = std::move(key)] {
    const auto found = entries_.find(absl::string_view(key));
    if (found == entries_.end()) return;
    (*found)->owner = kAtRest;
    if (!(*found)->waiting) entries_.erase(found);
  });
}

void Registrar::Impl::Save(int shard, std::vector<SaveRequest> requests) {
  Post([this, shard, requests = std::move(requests)]() mutable { SaveBatch(shard, std::move(requests)); });
}

void Registrar::Impl::SaveBatch(int shard, std::vector<SaveRequest> requests) {
  std::vector<SaveResult> results;
  results.reserve(requests.size());
  for (SaveRequest& request : requests) results.push_back(WriteSave(store_, std::move(request)));
  Tell(shard, [results = std::move(results)](SessionOwner& owner) { owner.SavesDone(results); });
}

absl::StatusOr<SessionRecord> Registrar::Impl::Load(const std::string& key) {
  absl::StatusOr<SessionRecord> record = store_.Load(key);
  if (!record.ok() || ttl_ == absl::ZeroDuration() || record->last_active + ttl_ > now()) return record;
  if (absl::Status status = store_.Delete(key, record->epoch); !status.ok()) return status;
  return absl::NotFoundError("the session has expired");
}

void Registrar::Impl::Sweep(absl::Duration ttl) {
  Post([this, ttl] { SweepPage(ttl); });
}

void Registrar::Impl::SweepPage(absl::Duration ttl) {
  constexpr size_t kPage = 1000;
  const auto page = store_.List("", sweep_after_, kPage);
  if (!page.ok()) return;
  sweep_after_ = page->size() < kPage ? "" : page->back().key;
  for (const SessionRecord& record : *page) {
    if (record.last_active + ttl > now()) continue;
    if (entries_.contains(absl::string_view(record.key))) continue;  // resident, or somebody wants it right now
    (void)store_.Delete(record.key, record.epoch);
  }
}

Registrar::Registrar(StateStore& store, const ModelTable& models, const Clock& clock)
    : impl_(std::make_unique<Impl>(store, models, clock)) {}

Registrar::~Registrar() = default;

void Registrar::Start() { impl_->Start(); }
bool Registrar::Drain(size_t at_most) { return impl_->Drain(at_most); }

void Registrar::AddShard(SessionOwner& shard) { impl_->AddShard(shard); }

}  // namespace aaren
