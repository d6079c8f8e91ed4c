#include "server/rpc/streams/waiting_streams.h"

#include <algorithm>

namespace aaren::rpc {

void WaitingStreams::Add(Stream& stream, const identity::Account* account) {
  const auto [line, added] = streams_.try_emplace(account);
  line->second.push_back(&stream);
  if (added) turns_.push_back(account);
}

void WaitingStreams::Forget(const Stream& stream, const identity::Account* account) {
  std::deque<Stream*>& line = streams_.at(account);
  std::replace(line.begin(), line.end(), const_cast<Stream*>(&stream), static_cast<Stream*>(nullptr));
}

Stream* WaitingStreams::Take(int64_t now_ns) {
  for (size_t left = turns_.size(); left > 0; --left) {
    const identity::Account* account = turns_.front();
    turns_.pop_front();
    const auto found = streams_.find(account);
    std::deque<Stream*>& line = found->second;
    while (!line.empty() && line.front() == nullptr) line.pop_front();
    if (line.empty()) {
      streams_.erase(found);
      continue;
    }
    if (account != nullptr && !account->tokens.Admits(now_ns)) {
      turns_.push_back(account);
      continue;
    }
    Stream* stream = line.front();
    line.pop_front();
    line.empty() ? static_cast<void>(streams_.erase(found)) : turns_.push_back(account);
    return stream;
  }
  return nullptr;
}

}  // namespace aaren::rpc
