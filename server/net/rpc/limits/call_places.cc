#include "server/net/rpc/limits/call_places.h"

#include <algorithm>
#include <vector>

namespace aaren::rpc {

CallPlaces::Place& CallPlaces::Place::operator=(Place&& other) noexcept {
  std::swap(places_, other.places_);
  std::swap(call_, other.call_);
  return *this;
}

CallPlaces::Place::~Place() {
  if (!taken()) return;
  if (call_->state != kLost) places_->Uncount(call_->peer);
  places_->calls_[call_->state].erase(call_);
}

void CallPlaces::Place::BeginWaiting(size_t bytes) {
  if (!taken() || call_->state == kLost) return;
  call_->since = places_->clock_.Now();
  call_->bytes = bytes;
  places_->Move(call_, kWaits);
}

void CallPlaces::Place::EndWaiting() {
  if (taken() && call_->state == kWaits) places_->Move(call_, kWorks);
}

CallPlaces::Place CallPlaces::Take(const std::string& peer, GiveUp give_up) {
  if (size() < limit_) {
    if (!Admits(peer)) return {};
  } else {
    const auto longest = calls_[kWaits].begin();
    if (longest == calls_[kWaits].end() || longest->since > clock_.Now() - patience_) return {};
    TakeAway(longest, Why::kGivesWay);
  }
  ++by_peer_[peer];
  return {this, calls_[kWorks].insert(calls_[kWorks].end(), Call{peer, std::move(give_up)})};
}

void CallPlaces::EndStale(absl::Time oldest) {
  const Calls& waiting = calls_[kWaits];
  while (!waiting.empty() && waiting.front().since <= oldest) TakeAway(calls_[kWaits].begin(), Why::kStale);
}

bool CallPlaces::MakeRoom(size_t lacking) {
  const absl::Time patient = clock_.Now() - patience_;
  std::vector<Calls::iterator> calls;
  size_t freed = 0;
  for (auto next = calls_[kWaits].begin(); next != calls_[kWaits].end() && next->since <= patient && freed < lacking;
       ++next) {
    if (next->bytes > 0) calls.push_back(next);
    freed += next->bytes;
  }
  if (freed < lacking) return false;
  for (const Calls::iterator call : calls) TakeAway(call, Why::kGivesWay);
  return true;
}

bool CallPlaces::Admits(const std::string& peer) const {
  if (peer.empty()) return true;
  const auto found = by_peer_.find(peer);
  const size_t own = found == by_peer_.end() ? 0 : found->second;
  const size_t others = std::min(limit_, size() - own);
  return own < (limit_ - others + 1) / 2;
}

void CallPlaces::Move(Calls::iterator call, State to) {
  calls_[to].splice(calls_[to].end(), calls_[call->state], call);
  call->state = to;
}

void CallPlaces::TakeAway(Calls::iterator call, Why why) {
  GiveUp give_up = std::move(call->give_up);
  Uncount(call->peer);
  Move(call, kLost);
  give_up(why);
}

void CallPlaces::Uncount(const std::string& peer) {
  const auto own = by_peer_.find(peer);
  if (--own->second == 0) by_peer_.erase(own);
}

}  // namespace aaren::rpc
