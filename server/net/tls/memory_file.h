#ifndef AAREN_SERVER_NET_TLS_MEMORY_FILE_H_
#define AAREN_SERVER_NET_TLS_MEMORY_FILE_H_

// A MemoryFile is a file without a disk, for libraries that want a path. A reader of the path gets the text before a
// Set or the text after, never a part of either. Threading: Set by one thread at a time; any thread reads.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::tls {

class MemoryFile {
 public:
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Error: what the machine lacks.
  absl::Status Set(absl::string_view text);

  // A path within this process. REQUIRES: Set was called; the path stays the same.
  std::string path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace aaren::tls

#endif  // AAREN_SERVER_NET_TLS_MEMORY_FILE_H_
