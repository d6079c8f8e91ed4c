#include "server/accept/reading_watch.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "server/log/log.h"

namespace aaren::accept {
namespace {

constexpr int64_t kBetweenNs = 1'500'000;  // looks, at least
constexpr int kLooks = 3;
constexpr int kLooksOfStranger = 2;         // of whom nothing was ever handled
constexpr uint64_t kLeastBytes = 16 << 10;  // read since the first of them
constexpr int kMostStrangers = 4;           // of a host, within a minute
constexpr int kIdleLooks = 16;              // gRPC is at work for so long at most on what it read at once

bool HasMore(int socket) {
  int waiting = 0;
  return ioctl(socket, FIONREAD, &waiting) == 0 && waiting > 0;
}

}  // namespace

std::vector<std::string> ReadingWatch::Look(ConnectionTable& table, int64_t kept_ns, int64_t now_ns) {
  std::vector<std::string> floods;
  const int64_t passed_ns = now_ns - last_ns_;
  if (passed_ns < kBetweenNs) return floods;
  last_ns_ = now_ns;
  reads_ = 2 * (kept_ns - std::exchange(kept_ns_, kept_ns)) >= passed_ns;
  if (!reads_) {
    readers_.clear();
  } else {
    read_ns_ = now_ns;
    if (readers_.empty()) {
      readers_ = ReadersOf(table);
    } else {
      LookAtReaders(table, now_ns, floods);
    }
  }
  LookAtHeld(table, now_ns, floods);
  return floods;
}

// Most connections have nothing that waits.
std::vector<ReadingWatch::Reader> ReadingWatch::ReadersOf(const ConnectionTable& table) {
  std::vector<Reader> readers;
  for (const auto& [peer, connection] : table.connections()) {
    if (!HasMore(connection.socket)) continue;
    readers.push_back({.peer = peer, .number = connection.number, .read = connection.traffic().read});
  }
  return readers;
}

// Whoever comes again and again, and floods as soon as it is there, is known by its host.
bool ReadingWatch::HasTooManyStrangers(const Connection& connection, int64_t now_ns) {
  if (connection.heard->ns() > 0) return false;
  absl::erase_if(strangers_, [now_ns](const auto& host) { return now_ns - host.second.last_ns > Holds::kForgetNs; });
  Strangers& strangers = strangers_[connection.host];
  strangers.last_ns = now_ns;
  return ++strangers.held > kMostStrangers;
}

void ReadingWatch::LookAtReaders(ConnectionTable& table, int64_t now_ns, std::vector<std::string>& floods) {
  std::vector<Reader> readers;
  for (Reader& reader : readers_) {
    const auto found = table.connections().find(reader.peer);
    if (found == table.connections().end() || found->second.number != reader.number) continue;
    Connection& connection = found->second;
    if (!connection.holds.OverAt(now_ns)) continue;  // what had come before is still read
    const Connection::Traffic traffic = connection.traffic();
    if (traffic.received == traffic.read) continue;
    const uint64_t fresh = traffic.read - std::min(traffic.read, std::exchange(reader.read, traffic.read));
    reader.bytes += fresh;
    reader.looks += fresh > 0;
    reader.idle = fresh > 0 ? 0 : reader.idle + 1;
    if (reader.idle >= kIdleLooks) continue;
    const int looks = connection.heard->ns() > 0 ? kLooks : kLooksOfStranger;
    if (reader.looks < looks || reader.bytes < kLeastBytes) {
      readers.push_back(std::move(reader));
    } else if (HasTooManyStrangers(connection, now_ns) || !connection.holds.Begin(*connection.heard, now_ns)) {
      floods.push_back(reader.peer);
    } else if (connection.Hold()) {
      log::Log(log::LogLevel::kWarning, "connection held: reading it kept others waiting", {{"peer", reader.peer}});
      held_.push_back(reader.peer);
      ++holds_;
    }
  }
  readers_ = std::move(readers);
}

void ReadingWatch::LookAtHeld(ConnectionTable& table, int64_t now_ns, std::vector<std::string>& floods) {
  const auto is_over = [&](const std::string& peer) {
    const auto found = table.connections().find(peer);
    if (found == table.connections().end()) return true;
    Connection* const connection = &found->second;
    connection->holds.Look(*connection->heard, now_ns);
    const bool flood = connection->holds.HasTooManyCalls(*connection->heard);
    if (flood) floods.push_back(peer);
    if (!flood && !connection->holds.OverAt(now_ns)) return false;
    connection->Release();
    return true;
  };
  held_.erase(std::remove_if(held_.begin(), held_.end(), is_over), held_.end());
}

std::vector<std::string> ReadingWatch::TakeHeldOf(const std::string& host, const ConnectionTable& table) {
  const auto end = std::stable_partition(held_.begin(), held_.end(), [&](const std::string& peer) {
    const Connection* connection = table.Find(peer);
    return connection == nullptr || connection->host != host;
  });
  std::vector<std::string> taken(end, held_.end());
  held_.erase(end, held_.end());
  return taken;
}

}  // namespace aaren::accept
