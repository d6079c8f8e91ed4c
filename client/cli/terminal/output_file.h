#ifndef AAREN_CLIENT_CLI_TERMINAL_OUTPUT_FILE_H_
#define AAREN_CLIENT_CLI_TERMINAL_OUTPUT_FILE_H_

// An OutputFile is a client's durable record of its forecasts: a file of JSON lines, a line per token and series, in
// order of seq, then column. The lines of a token are its *group*. A process killed during a write leaves a torn line
// or part of a group at the end. Opening the file again cuts off the torn end and tells where to go on: the file then
// ends as if nothing had happened. Written lines survive the process, however it ends; they survive the machine once
// Sync has returned.
//
// A file has a single writer at a time: a second process is refused. Devices and pipes are only written to.
// Threading: single-threaded, but for Abandon.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

class OutputFile {
 public:
  // Opens or creates the file for lines of the series. FAILED_PRECONDITION if the last lines of the file are not lines
  // of such a stream: then nothing is changed. UNAVAILABLE if another process has the file open.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path,
                                                          const std::vector<std::string>& series);

  // Standard output, unchanged.
  static std::unique_ptr<OutputFile> Standard();

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // The forecasts of all tokens below delivered_seq are in the file; 0 for an empty file.
  uint64_t delivered_seq() const { return delivered_seq_; }

  // The time of the last token in the file, as its lines write the time; absent if there is none.
  const std::optional<std::string>& last_time() const { return last_time_; }

  // Bytes of a torn line or group, cut off by Open.
  uint64_t cut_bytes() const { return cut_bytes_; }

  // Appends whole lines, to a file with a single write where the system allows it. Once Write returns, a kill no longer
  // loses the lines. CANCELLED if the reader of a pipe has left, or does not read and Abandon was called.
  absl::Status Write(absl::string_view lines);

  absl::Status Sync();

  // Ends all waits for a pipe's reader, in present and later writes. From any thread.
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
  std::optional<std::string> last_time_;
  uint64_t cut_bytes_ = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_OUTPUT_FILE_H_
