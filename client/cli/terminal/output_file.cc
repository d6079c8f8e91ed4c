#include "client/cli/terminal/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/terminal/patient_write.h"

namespace aaren::cli {
namespace {

constexpr uint64_t kFirstTailBytes = 64 << 10;
constexpr uint64_t kMostForeignBytes = 64 << 20;  // a file without a line in so many bytes is foreign
constexpr absl::string_view kLineBegin = "{\"seq\":";

bool IsRegular(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

struct Line {
  size_t begin;
  uint64_t seq;
  std::string series;
  std::optional<std::string> time;
};

std::optional<Line> ParseLine(absl::string_view text, size_t begin) {
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("seq") || !json["seq"].is_number_unsigned()) return {};
  if (!json.contains("series") || !json["series"].is_string()) return {};
  const auto time = json.find("time");
  return Line{begin, json["seq"].get<uint64_t>(), json["series"].get<std::string>(),
              time != json.end() && time->is_string() ? std::optional(time->get<std::string>()) : std::nullopt};
}

// The last lines of `text`, which ends with a line end, latest first: at most `most` lines, and none before a line of
// another program.
std::vector<Line> LastLines(absl::string_view text, size_t most) {
  std::vector<Line> lines;
  while (!text.empty() && lines.size() < most) {
    const size_t end = text.size() - 1;
    const size_t before = end == 0 ? absl::string_view::npos : text.rfind('\n', end - 1);
    const size_t begin = before == absl::string_view::npos ? 0 : before + 1;
    std::optional<Line> line = ParseLine(text.substr(begin, end - begin), begin);
    if (!line) break;
    lines.push_back(*std::move(line));
    text = text.substr(0, begin);
  }
  return lines;
}

absl::string_view WholeLines(absl::string_view text) { return text.substr(0, text.rfind('\n') + 1); }

// A torn line goes on behind the constant beginning of all lines, or is a part of the beginning.
bool MayBeTornLine(absl::string_view torn) {
  return absl::StartsWith(torn, kLineBegin) || absl::StartsWith(kLineBegin, torn);
}

// The number of lines at the front of `lines` (latest first) in the last group; nothing if they are not the first lines
// of `series`, in order.
std::optional<size_t> GroupSize(const std::vector<Line>& lines, const std::vector<std::string>& series) {
  const auto other =
      std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.seq != lines[0].seq; });
  const size_t size = static_cast<size_t>(other - lines.begin());
  if (size > series.size()) return {};
  for (size_t i = 0; i < size; ++i) {
    if (lines[size - 1 - i].series != series[i]) return {};
  }
  return size;
}

}  // namespace

OutputFile::OutputFile(std::string name, int fd) : name_(std::move(name)), fd_(fd), regular_(IsRegular(fd)) {}

absl::Status OutputFile::Errno(absl::string_view what) const {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", name_));
}

std::unique_ptr<OutputFile> OutputFile::Standard() {
  // A regular file needs no patience: no write waits for a reader.
  const int again = IsRegular(STDOUT_FILENO) ? -1 : OpenAgain(STDOUT_FILENO);
  return std::unique_ptr<OutputFile>(new OutputFile("standard output", again >= 0 ? again : STDOUT_FILENO));
}

OutputFile::~OutputFile() {
  if (fd_ != STDOUT_FILENO) close(fd_);
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path,
                                                             const std::vector<std::string>& series) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  auto file = std::unique_ptr<OutputFile>(new OutputFile(path, fd));
  if (!file->regular_) {
    // A pipe that nobody reads must not hold the program: PatientWrite waits, and can give up.
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return file;
  }
  // Two processes would mix their lines.
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return absl::UnavailableError(absl::StrCat(path, ": another process is writing this file"));
  }
  const absl::Status status = file->Recover(series);
  if (!status.ok()) return status;
  return file;
}

absl::StatusOr<std::string> OutputFile::ReadEnd(uint64_t bytes, uint64_t size) const {
  std::string tail(bytes, '\0');
  uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(fd_, tail.data() + done, bytes - done, static_cast<off_t>(size - bytes + done));
    if (got <= 0) return Errno("read");
    done += static_cast<uint64_t>(got);
  }
  return tail;
}

// The end of a file of `size` bytes, long enough for `lines` lines of this program if the file has so many.
absl::StatusOr<std::string> OutputFile::ReadLastLines(uint64_t size, size_t lines) const {
  // Twice as much each time. Most files need a single read.
  for (uint64_t bytes = std::min(size, kFirstTailBytes);; bytes = std::min(size, 2 * bytes)) {
    absl::StatusOr<std::string> tail = ReadEnd(bytes, size);
    if (!tail.ok() || bytes == size) return tail;
    const size_t found = LastLines(WholeLines(*tail), lines).size();
    if (found == lines || (found == 0 && bytes >= kMostForeignBytes)) return tail;
  }
}

absl::Status OutputFile::Recover(const std::vector<std::string>& series) {
  const uint64_t size = static_cast<uint64_t>(lseek(fd_, 0, SEEK_END));
  // A line more than a group: the line before the group tells which tokens are complete.
  const size_t wanted = series.size() + 1;
  const absl::StatusOr<std::string> tail = ReadLastLines(size, wanted);
  if (!tail.ok()) return tail.status();
  const absl::string_view whole = WholeLines(*tail);
  std::vector<Line> lines = LastLines(whole, wanted);
  if (!MayBeTornLine(absl::string_view(*tail).substr(whole.size())) || (!whole.empty() && lines.empty())) {
    return absl::FailedPreconditionError(
        absl::StrCat(name_, " ends with something other than forecasts; it is left as it is"));
  }
  const std::optional<size_t> group = GroupSize(lines, series);
  if (!group) {
    return absl::FailedPreconditionError(absl::StrCat(name_, " ends with series \"", lines[0].series, "\" of token ",
                                                      lines[0].seq, ", which does not fit the columns ",
                                                      absl::StrJoin(series, ", "), "; it is left as it is"));
  }
  // Fewer lines than series: the process ended within the group.
  const bool torn = *group > 0 && *group < series.size();
  const size_t keep = torn ? lines[*group - 1].begin : whole.size();
  const size_t last = torn ? *group : 0;  // the place of the last remaining line
  if (last < lines.size()) {
    delivered_seq_ = lines[last].seq + 1;
    last_time_ = lines[last].time;
  }
  cut_bytes_ = tail->size() - keep;
  if (cut_bytes_ > 0 && ftruncate(fd_, static_cast<off_t>(size - cut_bytes_)) != 0) return Errno("truncate");
  return absl::OkStatus();
}

absl::Status OutputFile::Write(absl::string_view lines) {
  if (!regular_) return PatientWrite(fd_, lines, name_, [this] { return abandoned_.load(); });
  while (!lines.empty()) {
    const ssize_t written = write(fd_, lines.data(), lines.size());
    if (written < 0 && errno != EINTR) return Errno("write to");
    lines.remove_prefix(static_cast<size_t>(std::max<ssize_t>(0, written)));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Sync() {
  // Pipes, devices and some file systems have no fsync.
  if (fsync(fd_) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP) return absl::OkStatus();
  return Errno("sync");
}

}  // namespace aaren::cli
