#include "server/accept/host_places.h"

namespace aaren::accept {
namespace {

constexpr absl::Duration kGainTime = absl::Minutes(1);

}  // namespace

void HostPlaces::Add(const std::string& host, uint64_t number) {
  Numbers& numbers = hosts_[host];
  by_count_.erase({numbers.size(), host});
  numbers.insert(number);
  by_count_.emplace(numbers.size(), host);
  ++size_;
}

void HostPlaces::Remove(const std::string& host, uint64_t number) {
  const auto found = hosts_.find(host);
  Numbers& numbers = found->second;
  by_count_.erase({numbers.size(), host});
  numbers.erase(number);
  --size_;
  if (numbers.empty()) {
    hosts_.erase(found);
  } else {
    by_count_.emplace(numbers.size(), host);
  }
}

size_t HostPlaces::OfHost(const std::string& host) const {
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? 0 : found->second.size();
}

bool HostPlaces::MayGain(const std::string& host, absl::Time now) {
  absl::erase_if(gains_, [now](const auto& gain) { return gain.second.second + kGainTime <= now; });
  size_t& gained = gains_.try_emplace(host, 0, now).first->second.first;
  if (gained >= free_gains_ + OfHost(host)) return false;
  ++gained;
  return true;
}

std::optional<std::string> HostPlaces::WhoHasMoreThan(const std::string& host) const {
  if (by_count_.empty()) return std::nullopt;
  const auto& [most, greediest] = *by_count_.rbegin();
  return most < OfHost(host) + 2 ? std::nullopt : std::make_optional(greediest);
}

std::optional<uint64_t> HostPlaces::WhoGivesWayTo(const std::string& host, absl::Time now) {
  const std::optional<std::string> greediest = WhoHasMoreThan(host);
  if (!greediest || !MayGain(host, now)) return std::nullopt;
  return *hosts_.at(*greediest).rbegin();
}

}  // namespace aaren::accept
