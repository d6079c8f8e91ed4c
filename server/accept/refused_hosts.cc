#include "server/accept/refused_hosts.h"

#include <algorithm>

namespace aaren::accept {
namespace {

constexpr absl::Duration kShortest = absl::Seconds(1);
constexpr absl::Duration kLongest = absl::Minutes(5);
constexpr absl::Duration kPeace = absl::Minutes(10);
constexpr int kGrowth = 4;

}  // namespace

bool RefusedHosts::Has(const std::string& host, absl::Time now) const {
  const auto found = hosts_.find(host);
  return found != hosts_.end() && now < found->second.until;
}

void RefusedHosts::Refuse(const std::string& host, absl::Time now) {
  Refusal& refusal = hosts_[host];
  refusal.until = std::max(refusal.until, now + kShortest);
}

void RefusedHosts::RefuseFlood(const std::string& host, absl::Time now) {
  const bool again = !Has(host, now);
  Refuse(host, now);
  if (!again) return;
  Refusal& refusal = hosts_[host];
  refusal.until = now + refusal.next;
  refusal.next = std::min(kGrowth * refusal.next, kLongest);
}

void RefusedHosts::Forget(absl::Time now) {
  absl::erase_if(hosts_, [now](const auto& host) {
    const Refusal& refusal = host.second;
    return now >= refusal.until + (refusal.next > kShortest ? kPeace : absl::ZeroDuration());
  });
}

}  // namespace aaren::accept
