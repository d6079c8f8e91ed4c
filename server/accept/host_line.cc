#include "server/accept/host_line.h"

#include <utility>

namespace aaren::accept {

void HostLine::Add(const std::string& host, uint64_t number) {
  const auto [found, fresh] = hosts_.try_emplace(host);
  if (fresh) turns_.push_back(host);
  size_ += found->second.insert(number).second ? 1 : 0;
}

void HostLine::Remove(const std::string& host, uint64_t number) {
  const auto found = hosts_.find(host);
  if (found != hosts_.end()) size_ -= found->second.erase(number);
}

std::optional<uint64_t> HostLine::Next() {
  while (!turns_.empty()) {
    std::string host = std::move(turns_.front());
    turns_.pop_front();
    const auto found = hosts_.find(host);
    std::set<uint64_t>& numbers = found->second;
    if (numbers.empty()) {
      hosts_.erase(found);
      continue;
    }
    const uint64_t number = *numbers.begin();
    numbers.erase(numbers.begin());
    --size_;
    turns_.push_back(std::move(host));
    return number;
  }
  return std::nullopt;
}

}  // namespace aaren::accept
