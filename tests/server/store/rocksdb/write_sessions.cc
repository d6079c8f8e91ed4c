// aaren-write-sessions FOLDER SEED WRITES: writes sessions into the store of a folder until a kill, or until the end of
// the input. After WRITES writes the program says "done" and waits.
//
// Standard output, unbuffered, is for an oracle: "opened" once the folder is open; "? KEY NUMBER" before a write; once
// the write is answered, "! KEY NUMBER" for a save at that seq, "- KEY NUMBER" for a deletion. Numbers rise.

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "tests/server/store/blocking.h"

namespace aaren::store {
namespace {

void Say(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(3);
}

void WriteOne(BlockingStore store, const std::string& key, uint64_t number, bool deletes) {
  Say(absl::StrCat("? ", key, " ", number, "\n"));
  if (deletes) {
    if (!store.Delete(key, std::nullopt).status.ok()) _exit(4);
  } else {
    SessionRecord record;
    record.key = key;
    record.epoch = record.incarnation = 1;
    record.saves.push_back({{number, {}}, std::string(2000, static_cast<char>('a' + number % 26))});
    if (!store.Put(record).ok()) _exit(4);
  }
  Say(absl::StrCat(deletes ? "- " : "! ", key, " ", number, "\n"));
}

int Main(const std::string& folder, uint64_t seed, uint64_t writes) {
  std::mt19937_64 chance(seed);
  RocksDbOptions options{.folder = folder, .buffer_bytes = 64 << 10};
  const absl::StatusOr<std::unique_ptr<RocksDbStore>> store = RocksDbStore::Open(options);
  if (!store.ok()) {
    Say(absl::StrCat("refused ", store.status().message(), "\n"));
    return 1;
  }
  Say("opened\n");
  // Another life of a folder goes on with higher numbers.
  const uint64_t first = seed * 1'000'000;
  for (uint64_t i = 1; i <= writes; ++i) {
    const std::string key = absl::StrCat("t/", seed % 4, "/", chance() % 400);
    WriteOne(BlockingStore(**store), key, first + i, chance() % 8 == 0);
  }
  Say("done\n");
  char end = 0;
  (void)!read(STDIN_FILENO, &end, 1);
  return 0;
}

}  // namespace
}  // namespace aaren::store

int main(int, char** argv) {
  return aaren::store::Main(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
}
