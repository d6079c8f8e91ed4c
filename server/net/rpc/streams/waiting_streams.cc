#include "server/net/rpc/streams/waiting_streams.h"

namespace aaren::rpc {

void WaitingStreams::Add(StreamLine::Place& place, const identity::Account* account) {
  if (place.in_line()) return;
  const auto [line, added] = lines_.try_emplace(account);
  place.Join(line->second);
  if (added) turns_.push_back(account);
}

Stream* WaitingStreams::Take(int64_t now_ns) {
  for (size_t left = turns_.size(); left > 0; --left) {
    const identity::Account* account = turns_.front();
    turns_.pop_front();
    if (account != nullptr && !account->tokens.Admits(now_ns)) {
      turns_.push_back(account);
      continue;
    }
    const auto found = lines_.find(account);
    StreamLine& line = found->second;
    Stream* stream = nullptr;
    while (stream == nullptr && !line.empty()) stream = line.Next();
    line.empty() ? static_cast<void>(lines_.erase(found)) : turns_.push_back(account);
    if (stream != nullptr) return stream;
  }
  return nullptr;
}

}  // namespace aaren::rpc
