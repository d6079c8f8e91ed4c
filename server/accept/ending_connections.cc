#include "server/accept/ending_connections.h"

#include <algorithm>
#include <utility>

namespace aaren::accept {
namespace {

constexpr int64_t kQuietNs = 20'000'000;
constexpr int64_t kLongestNs = 3'000'000'000;

}  // namespace

bool EndingConnections::Add(const std::string& peer, Connection& connection, int64_t now_ns) {
  if (!connection.Hold()) return false;
  connection.ending = true;
  ending_.push_back({.peer = peer,
                     .number = connection.number,
                     .calls = connection.heard->calls(),
                     .quiet_since_ns = now_ns,
                     .began_ns = now_ns});
  return true;
}

std::vector<std::string> EndingConnections::TakeDue(const ConnectionTable& table, int64_t now_ns) {
  std::vector<std::string> due;
  const auto is_over = [&](Ending& ending) {
    const Connection* connection = table.Find(ending.peer);
    if (connection == nullptr || connection->number != ending.number) return true;
    const uint64_t calls = connection->heard->calls();
    if (std::exchange(ending.calls, calls) != calls) ending.quiet_since_ns = now_ns;
    if (now_ns - ending.quiet_since_ns < kQuietNs && now_ns - ending.began_ns < kLongestNs) return false;
    due.push_back(ending.peer);
    return true;
  };
  ending_.erase(std::remove_if(ending_.begin(), ending_.end(), is_over), ending_.end());
  return due;
}

}  // namespace aaren::accept
