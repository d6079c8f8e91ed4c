#ifndef AAREN_CLIENT_CLI_SOURCES_SYSTEM_SOURCE_H_
#define AAREN_CLIENT_CLI_SOURCES_SYSTEM_SOURCE_H_

// This machine's own load as rows: CPU, memory, disk and network, a row every interval, live. A row has the time of the
// wall clock, and never a time before the row's before; ticks go on whatever the wall clock is set to. Threading: as
// RowSource.

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/cli/sources/row_source.h"
#include "client/cli/sources/system_counters.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

class SystemSource : public RowSource {
 public:
  // `columns` as CsvOptions::columns: some of RateNames(), in any order; empty: all. INVALID_ARGUMENT for an unknown
  // name, or an interval below 10 ms or above a day. The interrupt outlives the source.
  static absl::StatusOr<std::unique_ptr<SystemSource>> Open(const std::string& columns, absl::Duration interval,
                                                            const Interrupt& interrupt);

  const std::vector<std::string>& columns() const override { return columns_; }
  bool has_times() const override { return true; }
  absl::StatusOr<bool> Next(Row& row) override;
  bool ready() override { return false; }
  absl::Status Seek(uint64_t) override { return absl::OkStatus(); }
  bool CanSeek(uint64_t) const override { return false; }
  bool live() const override { return true; }

 private:
  SystemSource(absl::Duration interval, const Interrupt& interrupt);

  const absl::Duration interval_;
  const Interrupt& interrupt_;
  std::vector<std::string> columns_;
  std::vector<size_t> rates_of_columns_;
  SystemCounters counters_;
  Interrupt::Clock::time_point looked_at_;
  Interrupt::Clock::time_point next_;
  int64_t last_time_ns_ = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_SYSTEM_SOURCE_H_
