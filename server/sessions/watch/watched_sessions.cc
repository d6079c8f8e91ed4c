#include "server/sessions/watch/watched_sessions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"

namespace aaren::watch {
namespace {

// A filter of 64 bits: nearly all sessions that are not watched fail the filter, without the lock.
uint64_t BitOf(absl::string_view key) { return uint64_t{1} << absl::Hash<absl::string_view>()(key) % 64; }

// REQUIRES: the sighting is the token after the channel's newest.
void Judge(const Sighting& sighting, WatchedChannel& channel) {
  if (std::isnan(sighting.value) || std::isnan(channel.value) || std::isnan(channel.next.middle)) return;
  const auto away = [&sighting](float from) { return std::abs(static_cast<double>(sighting.value) - from); };
  ++channel.judged;
  channel.outside += sighting.value < channel.next.low || sighting.value > channel.next.high;
  channel.error += away(channel.next.middle);
  channel.last_value_error += away(channel.value);
}

void See(const Sighting& sighting, WatchedSession& session) {
  if (sighting.channel >= WatchedSessions::kMostChannels) return;
  if (sighting.channel >= session.channels.size()) session.channels.resize(sighting.channel + 1);
  WatchedChannel& channel = session.channels[sighting.channel];
  // After a gap the kept forecast belongs to a token that was not seen here.
  if (sighting.seq == channel.seq + 1) Judge(sighting, channel);
  channel.seq = sighting.seq;
  channel.value = sighting.value;
  channel.surprise = sighting.surprise;
  channel.next = sighting.next;
}

}  // namespace

absl::Status WatchedSessions::Watch(absl::string_view key, absl::Time now, absl::Time end) {
  absl::MutexLock lock(&mutex_);
  Forget(now);
  if (sessions_.size() == kMost && !sessions_.contains(key)) {
    return absl::ResourceExhaustedError(absl::StrCat(kMost, " sessions are watched, and no more may be"));
  }
  WatchedSession& session = sessions_[std::string(key)];
  session.key = std::string(key);
  session.end = end;
  Filter();
  return absl::OkStatus();
}

void WatchedSessions::Unwatch(absl::string_view key) {
  absl::MutexLock lock(&mutex_);
  sessions_.erase(key);
  Filter();
}

bool WatchedSessions::Watches(absl::string_view key) const {
  const uint64_t filter = filter_.load(std::memory_order_relaxed);
  return filter != 0 && (filter & BitOf(key)) != 0;
}

void WatchedSessions::Note(absl::string_view key, absl::Span<const Sighting> sightings) {
  absl::MutexLock lock(&mutex_);
  const auto found = sessions_.find(key);
  if (found == sessions_.end() || sightings.empty()) return;
  WatchedSession& session = found->second;
  const uint64_t next_seq = sightings.back().seq + 1;
  // A token has a sighting for each channel: the seqs count the tokens.
  session.tokens += next_seq - sightings.front().seq;
  session.next_seq = next_seq;
  for (const Sighting& sighting : sightings) See(sighting, session);
}

std::vector<WatchedSession> WatchedSessions::List(absl::Time now) {
  std::vector<WatchedSession> list;
  {
    absl::MutexLock lock(&mutex_);
    Forget(now);
    for (const auto& [key, session] : sessions_) list.push_back(session);
  }
  // Sorted without the lock, since shards wait for the lock.
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return list;
}

void WatchedSessions::Forget(absl::Time now) {
  absl::erase_if(sessions_, [now](const auto& entry) { return entry.second.end <= now; });
  Filter();
}

void WatchedSessions::Filter() {
  uint64_t filter = 0;
  for (const auto& [key, session] : sessions_) filter |= BitOf(key);
  filter_.store(filter, std::memory_order_relaxed);
}

}  // namespace aaren::watch
