#include "aaren/client/event_marks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::client {

uint32_t MarkNumber(absl::string_view mark) {
  uint32_t hash = 0x811c9dc5;
  for (const char byte : mark) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x01000193;
  return std::min(hash, kNewMark - 1);
}

absl::StatusOr<uint32_t> MarkNames::Add(absl::string_view mark) {
  if (mark.size() > kMostMarkBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a mark has ", mark.size(), " bytes; at most ", kMostMarkBytes, " are possible"));
  }
  const uint32_t number = MarkNumber(mark);
  absl::MutexLock lock(&mutex_);
  std::string& name = latest_[number];
  if (name != mark) name = std::string(mark);
  // The marks of the table before that were not used since are forgotten.
  if (latest_.size() >= capacity_ / 2) before_ = std::exchange(latest_, {});
  return number;
}

std::string MarkNames::NameOf(uint32_t number) const {
  if (number == kNewMark) return "(new)";
  absl::MutexLock lock(&mutex_);
  for (const Table* table : {&latest_, &before_}) {
    const auto found = table->find(number);
    if (found != table->end()) return found->second;
  }
  return absl::StrCat("#", number);
}

}  // namespace aaren::client
