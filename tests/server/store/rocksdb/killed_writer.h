#ifndef AAREN_TESTS_SERVER_STORE_ROCKSDB_KILLED_WRITER_H_
#define AAREN_TESTS_SERVER_STORE_ROCKSDB_KILLED_WRITER_H_

// A process that writes sessions until a kill, and an oracle of the answered writes.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/server/store/blocking.h"

namespace aaren::store {

// The sessions a folder must hold, by the answers to the writers.
class Oracle {
 public:
  // Takes a line of aaren-write-sessions; lines about no write are ignored.
  void Take(const std::string& line);

  // Sessions missing in the store, or stored in an older state. Sessions named as damaged by the store are no loss.
  std::vector<std::string> Lost(BlockingStore store) const;

  size_t sessions() const;

 private:
  struct Known {
    uint64_t answered = 0, tried = 0;
    bool deleted = true;
  };
  std::map<std::string, Known> known_;
};

enum class End { kKilled, kStopped };

struct WriterRun {
  std::string refused;  // why the writer could not open the folder
  bool opened = false;  // the writer had the folder open
};

// Runs aaren-write-sessions on a folder for `writes` writes, or until `most_ms` have passed (0: without a limit), and
// ends the process. The oracle takes the lines.
WriterRun RunWriter(const std::string& folder, uint64_t seed, uint64_t writes, int most_ms, End end, Oracle& oracle);

using Files = std::map<std::string, std::string>;

// All files of a folder but `owner`. `owner` names the last process to open the folder.
Files FilesIn(const std::string& folder);

}  // namespace aaren::store

#endif  // AAREN_TESTS_SERVER_STORE_ROCKSDB_KILLED_WRITER_H_
