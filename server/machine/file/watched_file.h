#ifndef AAREN_SERVER_MACHINE_FILE_WATCHED_FILE_H_
#define AAREN_SERVER_MACHINE_FILE_WATCHED_FILE_H_

// A WatchedFile is the text of a file whose owner looks every second. A change is told once, even a bad one: the owner
// keeps the result of the earlier text until a good text comes.
//
// A file being written may be empty, or end early, and look like a shorter file. Text written less than a second ago
// therefore counts only once found unchanged a second later. An unchanged file is not read again: inode, size and times
// tell.
//
// Threading: for one thread at a time.

#include <sys/stat.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace aaren::file {

class WatchedFile {
 public:
  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  // The text, if changed since the last call with a text; the first call has the text. The file's error, with the
  // file's name.
  absl::StatusOr<std::optional<std::string>> Read();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<std::string> told_;
  std::string seen_;                    // at the last look with a read
  std::optional<struct stat> settled_;  // the stat of the file with the text seen_; none: a write may have followed
};

}  // namespace aaren::file

#endif  // AAREN_SERVER_MACHINE_FILE_WATCHED_FILE_H_
