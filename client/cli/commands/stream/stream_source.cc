#include "client/cli/commands/stream/stream_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/sources/ahead/known_ahead.h"
#include "client/cli/sources/events/file_events.h"
#include "client/cli/sources/events/live_events.h"
#include "client/cli/sources/recent_rows.h"
#include "client/cli/sources/regular_source.h"
#include "client/cli/sources/system_source.h"

namespace aaren::cli {
namespace {

constexpr size_t kRecentRows = 1 << 16;  // kept rows of a source that cannot be read again

// A pipe or a device may keep a reader waiting for ever, so the read also waits for the interrupt.
absl::StatusOr<ByteSource> OpenPipe(const std::string& path, const Interrupt& interrupt) {
  if (path == "-") return interrupt.Bytes(STDIN_FILENO, "standard input");
  // Without O_NONBLOCK the open of a named pipe waits for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // closed with the process
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return interrupt.Bytes(fd, path);
}

absl::StatusOr<std::unique_ptr<RowSource>> OpenCsv(const StreamFlags& stream, const Interrupt& interrupt) {
  const bool again = IsRegularFile(stream.csv);
  const RegularSource::Opener opener = [&interrupt, again, path = stream.csv] {
    return again ? OpenBytes(path) : OpenPipe(path, interrupt);
  };
  absl::StatusOr<std::unique_ptr<RegularSource>> source =
      RegularSource::Open(stream.SourceName(), opener, again, stream.rows.csv, stream.rows.times);
  if (!source.ok()) return source.status();
  const RegularSource& regular = **source;
  std::unique_ptr<RowSource> rows = *std::move(source);
  // A pipe cannot be read again: the latest rows stay, in case the server wants them once more.
  if (!again) rows = std::make_unique<RecentRows>(std::move(rows), kRecentRows);
  if (rows->covariates().future == 0) return rows;
  KnownAheadOptions ahead{.horizon = stream.horizon, .file = again, .grid = [&regular] { return regular.grid(); }};
  if (!stream.future_csv.empty()) {
    absl::StatusOr<FutureRows> further = FutureRows::Read(stream.future_csv, stream.rows.csv, rows->has_times());
    if (!further.ok()) return further.status();
    ahead.further = *std::move(further);
  }
  return std::make_unique<KnownAhead>(std::move(rows), std::move(ahead));
}

absl::StatusOr<std::unique_ptr<RowSource>> OpenLiveEvents(const StreamFlags& stream, const Interrupt& interrupt) {
  absl::StatusOr<ByteSource> bytes = OpenPipe(stream.file.path, interrupt);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::unique_ptr<EventReader>> reader =
      EventReader::Open(stream.SourceName(), *std::move(bytes), stream.file.Options(stream.rows.csv), /*live=*/true);
  if (!reader.ok()) return reader.status();
  return std::make_unique<RecentRows>(
      std::make_unique<LiveEvents>(*std::move(reader), stream.rows.times.late == "stop"), kRecentRows);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RowSource>> OpenSource(const StreamFlags& stream, const EventSeries* series,
                                                      const Interrupt& interrupt) {
  if (series != nullptr) {
    return std::make_unique<FileEvents>(stream.SourceName(), *series, stream.rows.times.from_start);
  }
  if (!stream.file.path.empty()) return OpenLiveEvents(stream, interrupt);
  if (!stream.csv.empty()) return OpenCsv(stream, interrupt);
  absl::StatusOr<std::unique_ptr<SystemSource>> source =
      SystemSource::Open(stream.rows.csv.columns, stream.interval, interrupt);
  if (!source.ok()) return source.status();
  return std::make_unique<RecentRows>(*std::move(source), kRecentRows);
}

}  // namespace aaren::cli
