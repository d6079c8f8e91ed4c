#include "tests/e2e/soak/judge/ledger.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace aaren::soak {

Known Ledger::Before(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? Known() : found->second.known;
}

void Ledger::Raise(Entry& entry, uint64_t epoch, uint64_t incarnation) {
  entry.known.epoch = std::max(entry.known.epoch, epoch);
  if (incarnation <= entry.known.incarnation) return;
  entry.known.incarnation = incarnation;
  // A replaced life is asked for only by late readers, if at all.
  for (auto& [number, life] : entry.lives) {
    if (number < incarnation && life->track) life->track->Trim();
  }
  while (entry.lives.size() > 8) entry.lives.erase(entry.lives.begin());
}

std::shared_ptr<Life> Ledger::LifeOf(const std::string& id, Entry& entry, uint64_t incarnation) {
  std::shared_ptr<Life>& life = entry.lives[incarnation];
  if (life) return life;
  life = std::make_shared<Life>();
  life->incarnation = incarnation;
  life->track =
      std::make_shared<Track>(oracle_, std::make_shared<const Series>(KindOf(id), incarnation, nullptr, 0), nullptr);
  return life;
}

// The impossible part of the answer, whatever the session's state.
std::string Ledger::Contradiction(const v1::Open& open, const Known& before, const v1::Opened& opened) const {
  const uint64_t incarnation = opened.incarnation();
  if (opened.epoch() <= before.epoch) return absl::StrCat("an epoch above ", before.epoch);
  if (opened.created() != (opened.epoch() == incarnation)) return "an incarnation that is the epoch of its creation";
  if (opened.created() && open.mode() == v1::Open::RESUME) return "RESUME to create nothing";
  if (!opened.created() && open.mode() == v1::Open::CREATE) return "CREATE to create";
  if (incarnation < before.incarnation) return absl::StrCat("incarnation ", before.incarnation, " or a later one");
  if (incarnation <= before.dead) return absl::StrCat("an incarnation later than ", before.dead, ", which is gone");
  if (open.has_incarnation() && incarnation != open.incarnation()) return "the incarnation that was required";
  if (opened.model().digest() != oracle_.package().digest || opened.tier() != "exact") return "the model";
  if (opened.numerics_version() != static_cast<uint32_t>(engine::NumericsVersion(oracle_.package().kind))) {
    return "this numerics version";
  }
  if (opened.channels() != KindOf(open.session_id()).channels) return "the session's channels";
  if (opened.created() && (opened.next_seq() != 0 || opened.has_lost())) return "a new session to begin at 0";
  if (opened.durable_seq() > opened.next_seq()) return "durable_seq not above next_seq";
  return "";
}

// The part of the answer that is impossible for this incarnation.
std::string Ledger::Misplaced(const v1::Open& open, const v1::Opened& opened, const Life& life) const {
  const uint64_t next = opened.next_seq();
  if (next > life.sent) return absl::StrCat("next_seq at most ", life.sent.load(), ", where the tokens sent end");
  if (opened.has_lost()) {
    if (!open.has_delivered_seq()) return "nothing lost without delivered_seq";
    if (opened.lost().begin_seq() != open.delivered_seq()) return "the loss to begin at delivered_seq";
    if (opened.lost().end_seq() != next || next <= open.delivered_seq()) return "the loss to end at next_seq";
  } else if (open.has_delivered_seq() && next > open.delivered_seq()) {
    return "next_seq at most delivered_seq";
  }
  return "";
}

std::shared_ptr<Life> Ledger::Opened(const std::string& id, const v1::Open& open, const Known& before,
                                     const v1::Opened& opened) {
  absl::ReleasableMutexLock lock(&mutex_);
  Entry& entry = entries_[id];
  std::string expected = Contradiction(open, before, opened);
  if (!epochs_.insert(opened.epoch()).second) expected = "an epoch that no other Open has";
  const auto settled = [&] {
    mutex_.AssertHeld();
    return entry.placing == 0 || entry.lives.count(opened.incarnation()) > 0;
  };
  if (!opened.created() && !mutex_.AwaitWithTimeout(absl::Condition(&settled), absl::Seconds(60))) {
    expected = "an Import or Fork to end within a minute";
  }
  const std::shared_ptr<Life> life = LifeOf(id, entry, opened.incarnation());
  if (expected.empty() && !opened.created()) expected = Misplaced(open, opened, *life);
  Raise(entry, opened.epoch(), opened.incarnation());
  lock.Release();
  if (expected.empty()) return life;
  history_.Accuse(id, absl::StrCat("expected ", expected, " for {", open.ShortDebugString(), "}, came next_seq ",
                                   opened.next_seq(), " durable_seq ", opened.durable_seq(), " epoch ", opened.epoch(),
                                   " incarnation ", opened.incarnation(), opened.created() ? " created" : "", " lost {",
                                   opened.lost().ShortDebugString(), "}"));
  return nullptr;
}

void Ledger::Described(const Known& before, const v1::SessionInfo& info) {
  std::string expected;
  if (info.epoch() < before.epoch) expected = absl::StrCat("epoch ", before.epoch, " or a later one");
  if (info.incarnation() < before.incarnation || info.incarnation() <= before.dead) {
    expected = absl::StrCat("an incarnation not before ", before.incarnation, " and after ", before.dead);
  }
  if (info.incarnation() > info.epoch()) expected = "an incarnation that is an epoch";
  if (info.durable_seq() > info.next_seq()) expected = "durable_seq not above next_seq";
  if (info.package_digest() != oracle_.package().digest) expected = "the model";
  if (info.channels() != KindOf(info.session_id()).channels) expected = "the session's channels";
  if (info.state_bytes() != info.channels() * oracle_.engine().row_bytes()) expected = "a row a channel";
  if (expected.empty()) return;
  history_.Accuse(info.session_id(), absl::StrCat("expected ", expected, ", came {", info.ShortDebugString(), "}"));
}

void Ledger::Deleted(const std::string& id, uint64_t incarnation) {
  absl::MutexLock lock(&mutex_);
  Entry& entry = entries_[id];
  entry.known.dead = std::max(entry.known.dead, incarnation);
}

void Ledger::BeginPlacing(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  ++entries_[id].placing;
}

void Ledger::EndPlacing(const std::string& id, const std::shared_ptr<Life>& source, const v1::SessionInfo* placed) {
  absl::MutexLock lock(&mutex_);
  Entry& entry = entries_[id];
  --entry.placing;
  if (placed == nullptr) return;
  auto life = std::make_shared<Life>();
  life->incarnation = placed->incarnation();
  life->sent = placed->next_seq();
  if (source) {
    auto series =
        std::make_shared<const Series>(KindOf(id), placed->incarnation(), source->track->series(), placed->next_seq());
    life->track = std::make_shared<Track>(oracle_, std::move(series), source->track);
  }
  entry.lives[placed->incarnation()] = std::move(life);
  entry.known.dead = std::max(entry.known.dead, placed->incarnation() - 1);
  Raise(entry, placed->epoch(), placed->incarnation());
}

void Ledger::Sending(Life& life, uint64_t end) {
  absl::MutexLock lock(&mutex_);
  life.sent = std::max(life.sent.load(), end);
}

std::shared_ptr<Life> Ledger::Newest(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.lives.empty()) return nullptr;
  const std::shared_ptr<Life>& life = found->second.lives.rbegin()->second;
  return life->incarnation > found->second.known.dead ? life : nullptr;
}

}  // namespace aaren::soak
