#include "server/store/rocksdb/blob_garbage.h"

#include "rocksdb/db.h"

namespace aaren::store {

bool MayCollect(bool collecting, uint64_t garbage, uint64_t bytes) {
  return collecting ? garbage > bytes / 4 : garbage > bytes / 2;
}

void BlobGarbage::Look(rocksdb::DB& db, std::chrono::steady_clock::time_point now) {
  if (now < next_) return;
  next_ = now + std::chrono::seconds(1);
  uint64_t bytes = 0, garbage = 0;
  if (!db.GetIntProperty(rocksdb::DB::Properties::kLiveBlobFileSize, &bytes)) return;
  if (!db.GetIntProperty(rocksdb::DB::Properties::kLiveBlobFileGarbageSize, &garbage)) return;
  const bool collect = MayCollect(collecting_, garbage, bytes);
  if (collect == collecting_) return;
  if (db.SetOptions({{"enable_blob_garbage_collection", collect ? "true" : "false"}}).ok()) collecting_ = collect;
}

}  // namespace aaren::store
