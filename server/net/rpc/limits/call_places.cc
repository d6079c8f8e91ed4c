#include "server/net/rpc/limits/call_places.h"

#include <algorithm>

namespace aaren::rpc {

CallPlaces::Place& CallPlaces::Place::operator=(Place&& other) noexcept {
  std::swap(places_, other.places_);
  std::swap(call_, other.call_);
  if (taken()) call_->place = this;
  if (other.taken()) other.call_->place = &other;
  return *this;
}

CallPlaces::Place::~Place() {
  if (taken()) (call_->waits ? places_->waiting_ : places_->working_).erase(call_);
}

void CallPlaces::Place::BeginWaiting(size_t bytes) {
  if (!taken()) return;
  EndWaiting();
  places_->waiting_.splice(places_->waiting_.end(), places_->working_, call_);
  call_->waits = true;
  call_->since = places_->clock_.Now();
  call_->bytes = bytes;
}

void CallPlaces::Place::EndWaiting() {
  if (!taken() || !std::exchange(call_->waits, false)) return;
  places_->working_.splice(places_->working_.end(), places_->waiting_, call_);
}

CallPlaces::Place CallPlaces::Take(GiveUp give_up) {
  Place place;
  if (size() >= limit_) {
    if (waiting_.empty() || waiting_.front().since > clock_.Now() - patience_) return place;
    TakeAway(waiting_.begin(), Why::kGivesWay);
  }
  place.places_ = this;
  place.call_ = working_.insert(working_.end(), Call{std::move(give_up), &place});
  place.BeginWaiting();
  return place;
}

void CallPlaces::EndStale(absl::Time oldest) {
  while (!waiting_.empty() && waiting_.front().since <= oldest) TakeAway(waiting_.begin(), Why::kStale);
}

bool CallPlaces::MakeRoom(size_t lacking) {
  const absl::Time patient = clock_.Now() - patience_;
  size_t held = 0;
  for (const Call& call : waiting_) held += call.since <= patient ? call.bytes : 0;
  if (held < lacking) return false;
  for (auto next = waiting_.begin(); lacking > 0;) {
    const auto call = next++;
    lacking -= std::min(lacking, call->bytes);
    if (call->bytes > 0) TakeAway(call, Why::kGivesWay);
  }
  return true;
}

void CallPlaces::TakeAway(Calls::iterator call, Why why) {
  Calls taken;
  taken.splice(taken.end(), waiting_, call);
  call->place->places_ = nullptr;
  call->give_up(why);
}

}  // namespace aaren::rpc
