#include "tests/e2e/oracle/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace aaren::oracle {

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(const std::string& path, size_t sessions) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::unique_ptr<Journal> journal(new Journal(path, file));
  if (absl::Status status = journal->Read(sessions); !status.ok()) return status;
  return journal;
}

Journal::~Journal() { close(file_); }

absl::Status Journal::Read(size_t sessions) {
  delivered_.assign(sessions, 0);
  off_t end = 0;
  Record record;
  while (pread(file_, &record, sizeof(record), end) == sizeof(record)) {
    if (absl::Status status = Judge(record); !status.ok()) return status;
    end += sizeof(record);
  }
  if (ftruncate(file_, end) != 0 || lseek(file_, end, SEEK_SET) != end) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot use ", path_));
  }
  return absl::OkStatus();
}

absl::Status Journal::Judge(const Record& record) {
  if (record.session >= delivered_.size()) {
    return absl::DataLossError(absl::StrCat(path_, ": session ", record.session, " of ", delivered_.size()));
  }
  uint64_t& due = delivered_[record.session];
  if (record.seq != due) {
    return absl::DataLossError(absl::StrCat(path_, ": session ", record.session, " had forecast ", record.seq,
                                            record.seq < due ? " twice" : " though one was missing", "; ", due,
                                            " was due"));
  }
  ++due;
  return absl::OkStatus();
}

void Journal::Add(uint32_t session, uint32_t seq) {
  absl::MutexLock lock(&mutex_);
  added_.push_back({session, seq});
}

absl::Status Journal::Write() {
  absl::MutexLock lock(&mutex_);
  const auto bytes = static_cast<ssize_t>(added_.size() * sizeof(Record));
  if (bytes > 0 && write(file_, added_.data(), static_cast<size_t>(bytes)) != bytes) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path_));
  }
  added_.clear();
  return absl::OkStatus();
}

}  // namespace aaren::oracle
