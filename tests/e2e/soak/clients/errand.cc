#include "tests/e2e/soak/clients/errand.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::soak {

void Errand::Fill(v1::Open& open, bool strict) {
  absl::MutexLock lock(&mutex_);
  if (tracked_) open.set_delivered_seq(delivered_);
  if (incarnation_ == 0 || !(strict || deleting_)) return;
  open.set_mode(v1::Open::RESUME);
  open.set_incarnation(incarnation_);
}

uint64_t Errand::Deliver() {
  absl::MutexLock lock(&mutex_);
  return delivered_ = frontier_;
}

uint64_t Errand::delivered() const {
  absl::MutexLock lock(&mutex_);
  return delivered_;
}

void Errand::Crash() {
  absl::MutexLock lock(&mutex_);
  if (tracked_) frontier_ = delivered_;
}

bool Errand::reached() const {
  absl::MutexLock lock(&mutex_);
  return frontier_ >= goal_;
}

uint64_t Errand::goal() const {
  absl::MutexLock lock(&mutex_);
  return goal_;
}

void Errand::Deleting() {
  absl::MutexLock lock(&mutex_);
  deleting_ = true;
}

void Errand::Renew(uint64_t goal) {
  absl::MutexLock lock(&mutex_);
  goal_ = goal;
  incarnation_ = frontier_ = delivered_ = durable_ = begun_ = 0;
  deleting_ = deleted_ = false;
}

bool Errand::deleted() const {
  absl::MutexLock lock(&mutex_);
  return deleted_;
}

std::string Errand::Judge(const v1::Open& open, const v1::Opened& opened) const {
  if (opened.created()) {
    return incarnation_ == 0 || deleting_ ? "" : absl::StrCat("incarnation ", incarnation_, ", which nobody deleted");
  }
  if (incarnation_ != 0 && !deleting_ && opened.incarnation() != incarnation_)
    return absl::StrCat("incarnation ", incarnation_);
  if (opened.has_lost()) return "nothing lost";
  if (!open.has_delivered_seq() && opened.next_seq() < frontier_) {
    return absl::StrCat("to go on from ", frontier_, " or later, up to which answers came");
  }
  return "";
}

void Errand::OnOpened(Hold& hold, const v1::Opened& opened) {
  absl::MutexLock lock(&mutex_);
  // A later Open of this session was answered already: this answer is older, and its stream is fenced.
  if (opened.epoch() < epoch_) return;
  const std::string expected = Judge(hold.open(), opened);
  if (!expected.empty()) {
    return world_.history.Accuse(id_, absl::StrCat(hold.epoch(), ": expected ", expected, ", came next_seq ",
                                                   opened.next_seq(), " of incarnation ", opened.incarnation()));
  }
  if (opened.next_seq() < durable_ && opened.incarnation() == incarnation_) {
    return world_.history.Accuse(id_, absl::StrCat("went back to ", opened.next_seq(), ", though ", durable_,
                                                   " was durable: the client has no such tokens any more"));
  }
  if (incarnation_ != 0 && opened.incarnation() != incarnation_) frontier_ = delivered_ = durable_ = 0;
  incarnation_ = opened.incarnation();
  epoch_ = opened.epoch();
  begun_ = opened.next_seq();
  if (!tracked_) frontier_ = std::max(frontier_, opened.next_seq());
}

void Errand::OnAnswered(Hold& hold, uint64_t begin, uint64_t end) {
  absl::MutexLock lock(&mutex_);
  if (hold.life()->incarnation != incarnation_) return;  // the rest of a deleted session
  if (!tracked_) {
    if (hold.epoch() < epoch_ && end > begun_) {
      world_.history.Accuse(id_, absl::StrCat("epoch ", hold.epoch(), " answered up to ", end, ", epoch ", epoch_,
                                              " went on from ", begun_));
    }
  } else {
    for (uint64_t seq = frontier_; seq < begin; ++seq) {
      if (!hold.series().Answered(seq)) continue;
      return world_.history.Accuse(id_, absl::StrCat("a gap: seq ", seq, " expected, came ", begin, " .. ", end));
    }
  }
  frontier_ = std::max(frontier_, end);
  durable_ = std::max(durable_, hold.durable());
}

// Only this application deletes the session: existing data must be found.
void Errand::OnRefused(Hold& hold, int code) {
  absl::MutexLock lock(&mutex_);
  const bool missing = code == static_cast<int>(absl::StatusCode::kNotFound) ||
                       code == static_cast<int>(absl::StatusCode::kFailedPrecondition);
  if (!missing || incarnation_ == 0 || hold.open().incarnation() != incarnation_) return;
  if (deleting_) {
    deleted_ = true;
  } else {
    world_.history.Accuse(id_, absl::StrCat("incarnation ", incarnation_, " was not found, and nobody deleted it"));
  }
}

void Errand::OnGone(Hold&, bool deleted) {
  absl::MutexLock lock(&mutex_);
  deleted_ |= deleted;
}

}  // namespace aaren::soak
