#include "model/tasks/forecasting/line_reader.h"

#include <zlib.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::forecasting {

void LineReader::Close::operator()(gzFile_s* file) const { gzclose(file); }

absl::StatusOr<LineReader> LineReader::Open(const std::string& path) {
  LineReader reader;
  // zlib hands plain files through unchanged.
  for (const std::string& candidate : {path, path + ".gz"}) {
    reader.path_ = candidate;
    reader.file_.reset(gzopen(candidate.c_str(), "rbe"));
    if (reader.file_ != nullptr) return reader;
  }
  return absl::NotFoundError(absl::StrCat("cannot open ", path, ", nor ", path, ".gz"));
}

bool LineReader::Next(std::string& line) {
  line.clear();
  char part[4096];
  // A part may have NULs, so its length is told by the place in the file.
  for (z_off_t begin = gztell(file_.get()), end; gzgets(file_.get(), part, sizeof(part)) != nullptr; begin = end) {
    end = gztell(file_.get());
    line.append(part, static_cast<size_t>(end - begin));
    if (line.back() == '\n') break;
  }
  if (line.empty() || !status().ok()) return false;
  ++line_;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return true;
}

absl::Status LineReader::status() const {
  int code = Z_OK;
  const char* message = gzerror(file_.get(), &code);
  if (code == Z_OK || code == Z_STREAM_END) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path_, " is broken behind line ", line_, ": ", message));
}

absl::Status LineReader::Error(absl::string_view message) const {
  return absl::InvalidArgumentError(absl::StrCat(path_, ":", line_, ": ", message));
}

}  // namespace aaren::forecasting
