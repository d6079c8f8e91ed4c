#ifndef AAREN_MODEL_TASKS_FORECASTING_LINE_READER_H_
#define AAREN_MODEL_TASKS_FORECASTING_LINE_READER_H_

// Reads a text file line by line. The file is plain or compressed by gzip.
//
//   absl::StatusOr<LineReader> lines = LineReader::Open("data/train.ts");
//   for (std::string line; lines->Next(line);) ...
//   absl::Status status = lines->status();
//
// Threading: a plain value.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct gzFile_s;

namespace aaren::forecasting {

class LineReader {
 public:
  // Opens the file at `path`, or at `path`.gz if `path` is absent. NotFound names the path.
  static absl::StatusOr<LineReader> Open(const std::string& path);

  // Reads the next line without its end. False after the last line, and at a part that cannot be read.
  bool Next(std::string& line);

  // DataLoss, with file and line, if the file ended because its compressed data are broken.
  absl::Status status() const;

  // InvalidArgument "FILE:LINE: message" for the line read last.
  absl::Status Error(absl::string_view message) const;

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  int64_t line_ = 0;
};

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_LINE_READER_H_
