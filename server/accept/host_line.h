#ifndef AAREN_SERVER_ACCEPT_HOST_LINE_H_
#define AAREN_SERVER_ACCEPT_HOST_LINE_H_

// A HostLine is a line of connections in which hosts take turns: first each host's first connection, then each host's
// second. A host with many connections gets no more turns. Threading: not thread-safe.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace aaren::accept {

class HostLine {
 public:
  bool empty() const { return size_ == 0; }

  // Adds a connection by its number. Within a host the lowest number comes first. A number already in the line stays.
  void Add(const std::string& host, uint64_t number);

  // Does nothing if the number is not in the line.
  void Remove(const std::string& host, uint64_t number);

  // Takes out the connection whose turn has come.
  std::optional<uint64_t> Next();

 private:
  size_t size_ = 0;
  absl::flat_hash_map<std::string, std::set<uint64_t>> hosts_;  // hosts in turns_; maybe without connections
  std::deque<std::string> turns_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HOST_LINE_H_
