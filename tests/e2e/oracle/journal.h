#ifndef AAREN_TESTS_E2E_ORACLE_JOURNAL_H_
#define AAREN_TESTS_E2E_ORACLE_JOURNAL_H_

// A Journal is the application that gets the forecasts: a file with a record of eight bytes for each judged forecast. A
// record is session and seq; records are in order of arrival. A forecast counts as delivered once its record is
// written.
//
// After a kill the oracle finds each session's position in the file. Open reads the whole file and refuses a file with
// a missing or repeated seq. The forecasts of many lives of the oracle are thus judged as one run. A last record cut in
// two was never delivered, and is dropped. Threading: any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace aaren::oracle {

class Journal {
 public:
  // DATA_LOSS, naming session and seq, if the file tells of a broken promise.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(const std::string& path, size_t sessions);
  ~Journal();

  // Each session's forecasts when the file was opened: the seq to go on from.
  const std::vector<uint64_t>& delivered() const { return delivered_; }

  void Add(uint32_t session, uint32_t seq) ABSL_LOCKS_EXCLUDED(mutex_);

  // Writes the added records. Written records outlive the process.
  absl::Status Write() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Record {
    uint32_t session;
    uint32_t seq;
  };

  Journal(std::string path, int file) : path_(std::move(path)), file_(file) {}
  absl::Status Read(size_t sessions);
  absl::Status Judge(const Record& record);

  const std::string path_;
  const int file_;
  std::vector<uint64_t> delivered_;
  absl::Mutex mutex_;
  std::vector<Record> added_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::oracle

#endif  // AAREN_TESTS_E2E_ORACLE_JOURNAL_H_
