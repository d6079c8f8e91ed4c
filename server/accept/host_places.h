#ifndef AAREN_SERVER_ACCEPT_HOST_PLACES_H_
#define AAREN_SERVER_ACCEPT_HOST_PLACES_H_

// HostPlaces knows how many places of one kind each host has taken, as connections or streams, and who gives way when
// all are taken. That is the newest of the host that has most: one host can take every place only while nobody else
// asks.
// Whoever gains by that may do so again and again only while it keeps what it gained. Threading: none of its own.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace aaren::accept {

class HostPlaces {
 public:
  // `free_gains`: so many places a host may gain in a minute beyond those that it has.
  explicit HostPlaces(size_t free_gains = 10) : free_gains_(free_gains) {}

  size_t size() const { return size_; }
  size_t OfHost(const std::string& host) const;

  // `number` tells one from all others; a greater one came later. REQUIRES: it is not there.
  void Add(const std::string& host, uint64_t number);

  // REQUIRES: it is there.
  void Remove(const std::string& host, uint64_t number);

  // The host that has most, if one less would still be as many as `host` has with one more. Logarithmic.
  std::optional<std::string> WhoHasMoreThan(const std::string& host) const;

  // Which one must go so that `host` may have one more: the newest of the host that has most. None if that host would
  // then have fewer than `host`, or `host` has gained more of late than it kept. It still has its place. Logarithmic.
  std::optional<uint64_t> WhoGivesWayTo(const std::string& host, absl::Time now);

 private:
  using Numbers = std::set<uint64_t>;

  bool MayGain(const std::string& host, absl::Time now);

  const size_t free_gains_;
  size_t size_ = 0;
  absl::flat_hash_map<std::string, Numbers> hosts_;
  std::set<std::pair<size_t, std::string>> by_count_;                      // of hosts
  absl::flat_hash_map<std::string, std::pair<size_t, absl::Time>> gains_;  // of hosts: places of others, since when
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HOST_PLACES_H_
