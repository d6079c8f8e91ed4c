#include "server/store/rocksdb/header_cursor.h"

#include <utility>
#include <vector>

#include "server/operate/log/log.h"
#include "server/store/rocksdb/sparing.h"
#include "server/store/rocksdb/write_group.h"

namespace aaren::store {
namespace {

constexpr uint64_t kStepDeleted = 10'000;  // keys, of a few milliseconds
constexpr size_t kMorePrecise =
    16;  // bytes by which a key may be longer than the key before, and still be found exactly

// The first key behind all keys that begin with `prefix`. REQUIRES: the last byte of `prefix` is not 255.
std::string EndOf(std::string prefix) {
  ++prefix.back();
  return prefix;
}

// Halfway from `low` to `high`, as numbers of `size` bytes.
std::string Middle(const std::string& low, const std::string& high, size_t size) {
  const auto byte = [](const std::string& text, size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  std::string middle(size, '\0');
  unsigned carry = 0;
  for (size_t i = size; i-- > 0;) {
    const unsigned sum = byte(low, i) + byte(high, i) + carry;
    middle[i] = static_cast<char>(sum & 255);
    carry = sum >> 8;
  }
  for (char& digit : middle) {
    const unsigned number = (carry << 8) + static_cast<unsigned char>(digit);
    digit = static_cast<char>(number / 2);
    carry = number % 2;
  }
  return middle;
}

}  // namespace

HeaderCursor::HeaderCursor(Source source, const std::string& prefix)
    : source_(std::move(source)), end_(EndOf(HeaderKey(prefix))), bound_(end_) {
  options_.iterate_upper_bound = &bound_;  // rows follow behind the headers: a further step would read rows
  options_.max_skippable_internal_keys = kStepDeleted;
}

void HeaderCursor::Seek(const std::string& key) {
  at_.reset(source_(options_));
  at_->Seek(key);
}

std::string HeaderCursor::GaveWayAt() const {
  std::string key;
  if (status().IsIncomplete() && !at_->GetProperty("rocksdb.iterator.internal-key", &key).ok()) key.clear();
  return key;
}

// The keys of the damaged bytes are unknown: the search goes twice as far from `last` each time, and then by halving.
// Sessions between two damaged places near each other may be left out.
bool HeaderCursor::SeekBehindDamage(const std::string& last) {
  if (!IsDamage(status())) return false;
  // A stop at deleted keys would look like a readable place to the search below.
  options_.max_skippable_internal_keys = 0;
  const size_t size = last.size() + kMorePrecise;
  std::vector<std::string> steps{end_};  // the nearest comes last
  for (std::string at = Middle(last, end_, size); at > last && at < steps.back(); at = Middle(last, at, size)) {
    steps.push_back(at);
  }
  std::string low = last, high = end_;
  for (; steps.size() > 1 && high == end_; steps.pop_back()) {
    Seek(steps.back());
    (IsDamage(status()) ? low : high) = steps.back();
  }
  for (std::string at = Middle(low, high, size); at > low && at < high; at = Middle(low, high, size)) {
    Seek(at);
    (IsDamage(status()) ? low : high) = at;
  }
  // A disk that fails for a moment has lost nothing.
  if (high != end_) Seek(high);
  if (high == end_ && status().IsCorruption()) at_.reset();
  if (!status().ok()) return false;
  log::Log(log::LogLevel::kError, "sessions cannot be listed: their bytes in the store are damaged",
           {{"after", last.substr(1)}, {"before", Valid() ? key().substr(1) : "the end"}});
  return Valid();
}

}  // namespace aaren::store
