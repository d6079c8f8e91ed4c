#ifndef AAREN_SERVER_FILE_WATCHED_FILE_H_
#define AAREN_SERVER_FILE_WATCHED_FILE_H_

// A WatchedFile is the text of a file whose owner looks every second. A change is told once, be it for the worse: what
// was made of the text before holds until there is another that is good.
//
// A file that is being written may be empty, or end early, and look like a shorter one. So what was written less than
// a second ago is not taken up before it was found the same a second later. An unchanged file is not read again: inode,
// size and times tell.
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

  // The text, if it is another than at the last call that had one; the first has one. The file's error, with its name.
  absl::StatusOr<std::optional<std::string>> Read();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<std::string> told_;
  std::string seen_;                    // at the last look that read
  std::optional<struct stat> settled_;  // of the file with the text seen_; none: a write may have followed
};

}  // namespace aaren::file

#endif  // AAREN_SERVER_FILE_WATCHED_FILE_H_
