#include "server/net/rpc/limits/call_places.h"

#include <algorithm>
#include <vector>

namespace aaren::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(1);

}  // namespace

CallPlaces::Place& CallPlaces::Place::operator=(Place&& other) noexcept {
  std::swap(places_, other.places_);
  std::swap(number_, other.number_);
  return *this;
}

CallPlaces::Place::~Place() {
  if (taken()) places_->Remove(number_);
}

void CallPlaces::Place::BeginWaiting(size_t bytes) {
  if (!taken()) return;
  const auto call = places_->calls_.find(number_);
  if (call == places_->calls_.end()) return;  // the place is lost
  places_->EndWaiting(call->second);
  call->second.waiting = places_->waiting_.emplace(places_->waiting_.end(), places_->clock_.Now(), number_);
  call->second.bytes = bytes;
}

void CallPlaces::Place::EndWaiting() {
  if (!taken()) return;
  const auto call = places_->calls_.find(number_);
  if (call != places_->calls_.end()) places_->EndWaiting(call->second);
}

CallPlaces::Place CallPlaces::Take(const std::string& peer, GiveUp give_up) {
  if (calls_.size() >= limit_ ? !MakeWay() : !Admits(peer)) return {};
  const uint64_t number = ++last_number_;
  ++by_peer_[peer];
  calls_.emplace(number, Call{peer, std::move(give_up), waiting_.end()});
  return {this, number};
}

void CallPlaces::EndStale(absl::Time oldest) {
  while (!waiting_.empty() && waiting_.front().first <= oldest) TakeAway(waiting_.front().second, Why::kStale);
}

bool CallPlaces::Admits(const std::string& peer) const {
  const auto found = by_peer_.find(peer);
  const size_t own = found == by_peer_.end() ? 0 : found->second;
  const size_t others = std::min(limit_, calls_.size() - own);
  return own < (limit_ - others + 1) / 2;
}

bool CallPlaces::MakeWay() {
  if (waiting_.empty() || waiting_.front().first > clock_.Now() - kPatience) return false;
  TakeAway(waiting_.front().second, Why::kGivesWay);
  return true;
}

bool CallPlaces::MakeRoom(size_t lacking) {
  const absl::Time patient = clock_.Now() - kPatience;
  std::vector<uint64_t> numbers;
  size_t freed = 0;
  for (auto next = waiting_.begin(); next != waiting_.end() && next->first <= patient && freed < lacking; ++next) {
    const size_t bytes = calls_.at(next->second).bytes;
    if (bytes > 0) numbers.push_back(next->second);
    freed += bytes;
  }
  if (freed < lacking) return false;
  for (const uint64_t number : numbers) TakeAway(number, Why::kGivesWay);
  return true;
}

void CallPlaces::TakeAway(uint64_t number, Why why) {
  GiveUp give_up = std::move(calls_.at(number).give_up);
  Remove(number);
  give_up(why);
}

void CallPlaces::Remove(uint64_t number) {
  const auto call = calls_.find(number);
  if (call == calls_.end()) return;  // the place is lost
  EndWaiting(call->second);
  const auto own = by_peer_.find(call->second.peer);
  if (--own->second == 0) by_peer_.erase(own);
  calls_.erase(call);
}

void CallPlaces::EndWaiting(Call& call) {
  if (call.waiting == waiting_.end()) return;
  waiting_.erase(call.waiting);
  call.waiting = waiting_.end();
}

}  // namespace aaren::rpc
