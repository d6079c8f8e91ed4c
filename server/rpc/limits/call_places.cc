#include "server/rpc/limits/call_places.h"

#include <algorithm>

#include "server/accept/peer_name.h"

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

void CallPlaces::Place::BeginWaiting() {
  const auto call = places_->calls_.find(number_);
  if (call == places_->calls_.end()) return;  // it was cancelled
  places_->EndWaiting(call->second);
  call->second.waiting = places_->waiting_.emplace(places_->waiting_.end(), places_->clock_.Now(), number_);
}

void CallPlaces::Place::EndWaiting() {
  const auto call = places_->calls_.find(number_);
  if (call != places_->calls_.end()) places_->EndWaiting(call->second);
}

CallPlaces::Place CallPlaces::Take(const std::string& peer, Cancelling cancel) {
  std::string host = accept::HostOf(accept::NormalPeer(peer));
  if (!Admits(peer) && !MakeWay(host)) return {};
  const uint64_t number = ++last_number_;
  hosts_.Add(host, number);
  ++by_peer_[peer];
  calls_.emplace(number, Call{peer, std::move(host), std::move(cancel), waiting_.end()});
  return {this, number};
}

void CallPlaces::EndStale(absl::Time oldest) {
  while (!waiting_.empty() && waiting_.front().first <= oldest) Cancel(waiting_.front().second);
}

bool CallPlaces::Admits(const std::string& peer) const {
  const auto found = by_peer_.find(peer);
  const size_t own = found == by_peer_.end() ? 0 : found->second;
  const size_t others = std::min(limit_, calls_.size() - own);
  return own < (limit_ - others + 1) / 2;
}

std::optional<uint64_t> CallPlaces::WhoGivesWayTo(const std::string& host) {
  const absl::Time now = clock_.Now();
  if (const std::optional<std::string> greediest = hosts_.WhoHasMoreThan(host)) {
    const auto its = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const auto& waiting) { return calls_.at(waiting.second).host == *greediest; });
    if (its != waiting_.end()) return its->second;
  }
  if (!waiting_.empty() && now - waiting_.front().first >= kPatience) return waiting_.front().second;
  return hosts_.WhoGivesWayTo(host, now);
}

bool CallPlaces::MakeWay(const std::string& host) {
  const std::optional<uint64_t> number = WhoGivesWayTo(host);
  if (number) Cancel(*number);
  return number.has_value();
}

// Its place is another's at once; gRPC gives its events back in a moment.
void CallPlaces::Cancel(uint64_t number) {
  Cancelling cancel = std::move(calls_.at(number).cancel);
  Remove(number);
  cancel();
}

void CallPlaces::Remove(uint64_t number) {
  const auto call = calls_.find(number);
  if (call == calls_.end()) return;  // it was cancelled
  EndWaiting(call->second);
  hosts_.Remove(call->second.host, number);
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
