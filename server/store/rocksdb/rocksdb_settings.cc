#include "server/store/rocksdb/rocksdb_settings.h"

#include <sys/stat.h>

#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>

#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/table_properties_collectors.h"
#include "server/operate/log/log.h"
#include "server/store/rocksdb/rocksdb_store.h"

namespace aaren::store {
namespace {

constexpr size_t kStretch = 4096;  // keys

// Puts RocksDB's words into the server's log. A log file of RocksDB would be on the disk that may be full.
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

// Lets only the owner read RocksDB's files, under any umask.
class PrivateFiles : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  static const char* kClassName() { return "PrivateFiles"; }
  const char* Name() const override { return kClassName(); }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    return Private(name, FileSystemWrapper::NewWritableFile(name, options, file, context));
  }
  rocksdb::IOStatus LockFile(const std::string& name, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext* context) override {
    return Private(name, FileSystemWrapper::LockFile(name, options, lock, context));
  }

 private:
  static rocksdb::IOStatus Private(const std::string& name, rocksdb::IOStatus made) {
    if (made.ok()) (void)chmod(name.c_str(), S_IRUSR | S_IWUSR);
    return made;
  }
};

}  // namespace

rocksdb::Options RocksDbSettings(size_t buffer_bytes, const FolderLock* folder) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(buffer_bytes, /*num_shard_bits=*/0);  // one thread reads
  // Undivided, index and filter fit in no part of the cache: a save read 400 KB.
  table.cache_index_and_filter_blocks = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  // Most Opens are of new sessions: with ten bits a key the filter answers nearly all without a read.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options options;
  static rocksdb::Env* const env =  // for ever: threads of RocksDB outlive every database
      rocksdb::NewCompositeEnv(std::make_shared<PrivateFiles>(rocksdb::FileSystem::Default())).release();
  options.env = env;
  options.write_buffer_size = buffer_bytes;
  // Three buffers and the cache of reads are the four times `buffer_bytes` of the header.
  options.max_write_buffer_number = 3;
  options.max_total_wal_size = 4 * buffer_bytes;
  // Rows, unlike headers, go to files of their own: sorted with the keys, rows would be copied at every level.
  options.enable_blob_files = true;
  options.min_blob_size = 1024;
  options.blob_file_size = 256 << 20;
  options.enable_blob_garbage_collection = false;  // BlobGarbage says when
  options.blob_garbage_collection_force_threshold = 0.5;
  // Only headers are compressed: rows are mantissas, of which LZ4 takes off 4 %.
  options.compression = rocksdb::kLZ4Compression;
  // A file is flushed every few thousand rows. By levels, each few files would copy all headers.
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.level0_file_num_compaction_trigger = 12;
  // A list walks over deleted keys. Saves alone delete one key of two in a stretch of rows.
  options.table_properties_collector_factories.push_back(
      rocksdb::NewCompactOnDeletionCollectorFactory(kStretch, kStretch * 3 / 4));
  options.level0_slowdown_writes_trigger = 30;
  options.max_background_flushes = 2;
  options.max_background_compactions = 1;
  options.bytes_per_sync = 1 << 20;
  options.wal_bytes_per_sync = 1 << 20;
  // Connections need descriptors, too.
  options.max_open_files = RocksDbStore::kFiles;
  options.max_manifest_file_size = 1 << 20;  // the ledger copies it after each flush
  // A power loss leaves the log's last pages written in any order: the writes before the first damage hold, and the
  // server's log tells of the damage.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  options.info_log = std::make_shared<ServerLog>(folder);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace aaren::store
