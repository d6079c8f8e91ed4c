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

void CallPlaces::Place::BeginWaiting(size_t bytes) {
  if (!taken()) return;
  const auto call = places_->calls_.find(number_);
  if (call == places_->calls_.end()) return;  // it has lost it
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
  std::string host = accept::HostOf(accept::NormalPeer(peer));
  const bool full = calls_.size() >= limit_;
  if (full ? !MakeWay(host) : !Admits(peer) && !hosts_.WhoHasMoreThan(host)) return {};
  const uint64_t number = ++last_number_;
  hosts_.Add(host, number);
  ++by_peer_[peer];
  calls_.emplace(number, Call{peer, std::move(host), std::move(give_up), waiting_.end()});
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

template <typename Fits>
std::optional<uint64_t> CallPlaces::FirstWaiting(absl::Time since, Fits fits) const {
  for (const auto& [began, number] : waiting_) {
    if (began > since) break;
    if (fits(calls_.at(number))) return number;
  }
  return std::nullopt;
}

std::optional<uint64_t> CallPlaces::WhoGivesWayTo(const std::string& host) {
  const absl::Time now = clock_.Now();
  if (const std::optional<std::string> greediest = hosts_.WhoHasMoreThan(host)) {
    const auto its = FirstWaiting(now, [&](const Call& other) { return other.host == *greediest; });
    if (its) return its;
  }
  const size_t own = hosts_.OfHost(host);
  const auto patient =
      FirstWaiting(now - kPatience, [&](const Call& other) { return hosts_.OfHost(other.host) >= own; });
  return patient || !lasting_ ? patient : hosts_.WhoGivesWayTo(host, now);
}

bool CallPlaces::MakeRoom(const std::string& peer, size_t bytes, size_t lacking) {
  const std::string host = accept::HostOf(accept::NormalPeer(peer));
  absl::flat_hash_map<std::string, HeldBytes> held;
  for (const auto& [began, number] : waiting_) {
    const Call& call = calls_.at(number);
    if (call.bytes == 0) continue;
    held[call.host].bytes += call.bytes;
    held[call.host].numbers.push_back(number);
  }
  const std::vector<uint64_t> numbers = WhoseBytesGo(held, host, bytes, lacking);
  for (const uint64_t number : numbers) TakeAway(number, Why::kGivesWay);
  return !numbers.empty();
}

// None if that is not enough.
std::vector<uint64_t> CallPlaces::WhoseBytesGo(absl::flat_hash_map<std::string, HeldBytes>& held,
                                               const std::string& asker, size_t bytes, size_t lacking) const {
  const absl::Time patient = clock_.Now() - kPatience;
  const size_t own = held[asker].bytes + bytes;
  std::vector<uint64_t> numbers;
  for (size_t freed = 0; freed < lacking; freed += calls_.at(numbers.back()).bytes) {
    HeldBytes* most = nullptr;
    for (auto& [host, its] : held) {
      if (its.numbers.empty() || (host != asker && its.bytes < own)) continue;
      if (its.bytes <= own && calls_.at(its.numbers.front()).waiting->first > patient) continue;
      if (most == nullptr || its.bytes > most->bytes) most = &its;
    }
    if (most == nullptr) return {};
    numbers.push_back(most->numbers.front());
    most->numbers.pop_front();
    most->bytes -= calls_.at(numbers.back()).bytes;
  }
  return numbers;
}

bool CallPlaces::MakeWay(const std::string& host) {
  const std::optional<uint64_t> number = WhoGivesWayTo(host);
  if (number) TakeAway(*number, Why::kGivesWay);
  return number.has_value();
}

void CallPlaces::TakeAway(uint64_t number, Why why) {
  GiveUp give_up = std::move(calls_.at(number).give_up);
  Remove(number);
  give_up(why);
}

void CallPlaces::Remove(uint64_t number) {
  const auto call = calls_.find(number);
  if (call == calls_.end()) return;  // it has lost it
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
