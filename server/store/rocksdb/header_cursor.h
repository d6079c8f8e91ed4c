#ifndef AAREN_SERVER_STORE_ROCKSDB_HEADER_CURSOR_H_
#define AAREN_SERVER_STORE_ROCKSDB_HEADER_CURSOR_H_

// A HeaderCursor walks over the headers of a prefix, from key to key, in a database or in a single file of a database.
// The cursor stops after thousands of deleted keys, and can pass unreadable bytes. Threading: one thread at a time.

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "rocksdb/db.h"

namespace aaren::store {

class HeaderCursor {
 public:
  using Source = std::function<rocksdb::Iterator*(const rocksdb::ReadOptions&)>;  // makes a new iterator

  HeaderCursor(Source source, const std::string& prefix);

  bool Valid() const { return at_ != nullptr && at_->Valid(); }
  rocksdb::Status status() const { return at_ == nullptr ? rocksdb::Status::OK() : at_->status(); }
  std::string key() const { return at_->key().ToString(); }
  absl::string_view value() const { return {at_->value().data(), at_->value().size()}; }
  void Next() { at_->Next(); }

  // Makes a new iterator each time: an iterator that met damage does not always meet the damage again in its place.
  void Seek(const std::string& key);

  // The key at which the cursor stopped after deleted keys alone; empty if the cursor did not stop.
  std::string GaveWayAt() const;

  // If the cursor met unreadable bytes, goes to the first readable key behind the bytes, and logs the keys before and
  // after. `last` is the last key before the bytes. False if no readable key is left, or the cursor was at the end.
  bool SeekBehindDamage(const std::string& last);

 private:
  const Source source_;
  const std::string end_;
  const rocksdb::Slice bound_;
  rocksdb::ReadOptions options_;
  std::unique_ptr<rocksdb::Iterator> at_;  // null at the end
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_HEADER_CURSOR_H_
