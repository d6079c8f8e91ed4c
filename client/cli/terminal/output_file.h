#ifndef AAREN_CLIENT_CLI_TERMINAL_OUTPUT_FILE_H_
#define AAREN_CLIENT_CLI_TERMINAL_OUTPUT_FILE_H_

// An OutputFile is a client's durable record of the forecasts that it has: a file of JSON lines, one per token and
// series, in order of seq, then column. The lines of one token are its *group*. A process that is killed while it
// writes leaves a torn line or part of a group at the end. Opening the file again cuts that off and says where to go
// on. So the file ends as if nothing had happened. What was written survives the process, whatever kills it; it
// survives the machine once Sync has returned.
//
// One process at a time writes a file: another one is refused. Devices and pipes are only written to.
// Threading: one thread, but for Abandon.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

class OutputFile {
 public:
  // Opens or creates the file for lines of these series. FAILED_PRECONDITION if its last lines are not what such a
  // stream writes: then nothing is changed. UNAVAILABLE if another process has it open.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path,
                                                          const std::vector<std::string>& series);

  // Standard output, as it is.
  static std::unique_ptr<OutputFile> Standard();

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // The forecasts of all tokens below it are in the file; 0 for an empty one.
  uint64_t delivered_seq() const { return delivered_seq_; }

  // Bytes of a torn line or group that Open cut off.
  uint64_t cut_bytes() const { return cut_bytes_; }

  // Appends whole lines, to a file with one write where the system allows it. When it returns, a kill no longer loses
  // them. CANCELLED if the reader of a pipe has left, or does not read and Abandon was called.
  absl::Status Write(absl::string_view lines);

  absl::Status Sync();

  // Ends the wait for a pipe's reader, of this write and of all others. From any thread.
  void Abandon() { abandoned_ = true; }

 private:
  OutputFile(std::string name, int fd);
  absl::Status Recover(const std::vector<std::string>& series);
  absl::StatusOr<std::string> ReadEnd(uint64_t bytes, uint64_t size) const;
  absl::StatusOr<std::string> ReadLastLines(uint64_t size, size_t lines) const;
  absl::Status Errno(absl::string_view what) const;

  const std::string name_;
  const int fd_;
  const bool regular_;
  std::atomic<bool> abandoned_ = false;
  uint64_t delivered_seq_ = 0;
  uint64_t cut_bytes_ = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_OUTPUT_FILE_H_
