#ifndef AAREN_SERVER_TLS_MEMORY_FILE_H_
#define AAREN_SERVER_TLS_MEMORY_FILE_H_

// A MemoryFile is a file on no disk, for those who want a path where there is a text. Whoever opens the path reads the
// text of before a Set or that of after it, never a part of one. Threading: Set by one thread at a time; anybody reads.

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

  // What is wrong with the machine, if it cannot.
  absl::Status Set(absl::string_view text);

  // Of this process. REQUIRES: Set was called; the path stays the same.
  std::string path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace aaren::tls

#endif  // AAREN_SERVER_TLS_MEMORY_FILE_H_
