#ifndef AAREN_SERVER_ACCEPT_HOST_LINE_H_
#define AAREN_SERVER_ACCEPT_HOST_LINE_H_

// A HostLine is a line in which hosts take turns, however many of its own each has put there: the first of each, then
// the second of each. Threading: none of its own.

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

  // `number` tells one from all others, and goes before greater ones of its host. One that is there keeps its place.
  void Add(const std::string& host, uint64_t number);

  // Nothing happens if it is not there.
  void Remove(const std::string& host, uint64_t number);

  // Takes out the one whose turn it is.
  std::optional<uint64_t> Next();

 private:
  size_t size_ = 0;
  absl::flat_hash_map<std::string, std::set<uint64_t>> hosts_;  // just those in turns_; none may be left of one
  std::deque<std::string> turns_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HOST_LINE_H_
