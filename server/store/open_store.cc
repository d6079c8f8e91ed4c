#include "server/store/open_store.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "server/store/memory_store.h"

namespace aaren {

std::string DefaultDataFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return absl::StrCat(state, "/aaren");
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? absl::StrCat(home, "/.local/state/aaren") : "";
}

absl::StatusOr<std::unique_ptr<StateStore>> OpenStore(const StoreOptions& options, MemoryBudget& budget) {
  if (options.kind == "memory") return std::make_unique<MemoryStore>(&budget);
  if (options.kind != "rocksdb") {
    return absl::InvalidArgumentError(
        absl::StrCat("store: this build has no ", options.kind, "; there are rocksdb and memory"));
  }
  RocksDbOptions rocksdb = options.rocksdb;
  if (rocksdb.folder.empty()) rocksdb.folder = DefaultDataFolder();
  if (rocksdb.folder.empty())
    return absl::InvalidArgumentError("data_dir: there is no home folder to put it in; give a folder");
  absl::StatusOr<std::unique_ptr<RocksDbStore>> store = RocksDbStore::Open(rocksdb);
  if (store.ok()) return *std::move(store);
  return absl::Status(store.status().code(), absl::StrCat("data_dir: ", store.status().message()));
}

}  // namespace aaren
