#include "server/store/rocksdb/header_list.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "rocksdb/db.h"
#include "server/log/log.h"
#include "server/store/held.h"
#include "server/store/rocksdb/sparing.h"
#include "server/store/rocksdb/write_group.h"

namespace aaren::store {
namespace {

constexpr size_t kMorePrecise = 16;  // bytes: what a key may be longer than the one before it, to be found exactly

// The first key behind all that begin with `prefix`. REQUIRES: its last byte is not 255, as in keys of sessions.
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

// The headers of a prefix, from key to key.
class Headers {
 public:
  Headers(rocksdb::DB& db, const std::string& prefix) : db_(db), end_(EndOf(HeaderKey(prefix))), bound_(end_) {
    options_.iterate_upper_bound = &bound_;  // behind the headers are rows: one step further reads them
  }

  bool Valid() const { return at_ != nullptr && at_->Valid(); }
  rocksdb::Status status() const { return at_ == nullptr ? rocksdb::Status::OK() : at_->status(); }
  std::string key() const { return at_->key().ToString(); }
  absl::string_view value() const { return {at_->value().data(), at_->value().size()}; }
  void Next() { at_->Next(); }

  // An iterator that has met damage does not always meet it again where it is, so there is a new one each time.
  void Seek(const std::string& key) {
    at_.reset(db_.NewIterator(options_));
    at_->Seek(key);
  }

  // If bytes were met that cannot be read, goes to the first key behind them that can be. What keys they have is not
  // known: the place is looked for twice as far from `last` each time, from where on nothing could be read, and then
  // by halving. What lies between two such places near each other may be left out. False if nothing is left there, or
  // it was at the end anyway.
  bool SeekBehindDamage(const std::string& last) {
    if (!IsDamage(status())) return false;
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
    // A disk that gives nothing for a moment has not lost it.
    if (high != end_) Seek(high);
    if (high == end_ && status().IsCorruption()) at_.reset();
    if (!status().ok()) return false;
    log::Log(log::LogLevel::kError, "sessions cannot be listed: their bytes in the store are damaged",
             {{"after", last.substr(1)}, {"before", Valid() ? key().substr(1) : "the end"}});
    return Valid();
  }

 private:
  rocksdb::DB& db_;
  const std::string end_;
  const rocksdb::Slice bound_;
  rocksdb::ReadOptions options_;
  std::unique_ptr<rocksdb::Iterator> at_;  // null: at the end
};

}  // namespace

absl::StatusOr<std::vector<SessionRecord>> ListHeaders(rocksdb::DB& db, const FolderLock& folder,
                                                       const std::string& prefix, const std::string& after,
                                                       size_t limit) {
  std::vector<SessionRecord> page;
  Headers at(db, prefix);
  std::string last = HeaderKey(std::max(prefix, after));  // what was asked for
  for (at.Seek(last); page.size() < limit && (at.Valid() || at.SeekBehindDamage(last)); at.Next()) {
    last = at.key();
    const std::string key = last.substr(1);
    if (!after.empty() && key <= after) continue;
    absl::StatusOr<StoredHeader> header = ParseHeader(key, at.value());
    SessionRecord record;
    if (header.ok()) record = WithoutRows(*header);
    record.key = key;  // of a damaged session no more is known
    page.push_back(std::move(record));
  }
  if (page.size() < limit && !at.status().ok()) return FromRead(at.status(), folder);
  return page;
}

}  // namespace aaren::store
