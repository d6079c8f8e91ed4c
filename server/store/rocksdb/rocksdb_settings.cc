#include "server/store/rocksdb/rocksdb_settings.h"

#include <cstdarg>
#include <cstdio>
#include <memory>

#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "server/log/log.h"

namespace aaren::store {
namespace {

// What RocksDB has to say goes into the server's log. Its own file would be on the disk that may be full.
class ServerLog : public rocksdb::Logger {
 public:
  explicit ServerLog(const FolderLock* folder) : Logger(rocksdb::InfoLogLevel::WARN_LEVEL), folder_(folder) {}
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char text[512];
    vsnprintf(text, sizeof(text), format, arguments);
    log::Log(log::LogLevel::kWarning, "rocksdb", {{"message", folder_ == nullptr ? text : folder_->Shown(text)}});
  }

 private:
  const FolderLock* const folder_;
};

}  // namespace

rocksdb::Options RocksDbSettings(size_t buffer_bytes, const FolderLock* folder) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(buffer_bytes, /*num_shard_bits=*/0);  // one thread reads
  table.cache_index_and_filter_blocks = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options options;
  options.write_buffer_size = buffer_bytes;
  options.max_write_buffer_number = 3;
  options.max_total_wal_size = 4 * buffer_bytes;
  options.enable_blob_files = true;
  options.min_blob_size = 1024;
  options.blob_file_size = 256 << 20;
  options.enable_blob_garbage_collection = false;  // BlobGarbage says when
  options.blob_garbage_collection_force_threshold = 0.5;
  options.compression = rocksdb::kLZ4Compression;
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.level0_file_num_compaction_trigger = 12;
  options.level0_slowdown_writes_trigger = 30;
  options.max_background_flushes = 2;
  options.max_background_compactions = 1;
  options.bytes_per_sync = 1 << 20;
  options.wal_bytes_per_sync = 1 << 20;
  options.max_open_files = kRocksDbFiles;
  // A power loss writes the log's last pages in any order: what is before the first damage holds, and the log says so.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.info_log = std::make_shared<ServerLog>(folder);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace aaren::store
