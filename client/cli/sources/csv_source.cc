#include "client/cli/sources/csv_source.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {

absl::StatusOr<std::unique_ptr<CsvSource>> CsvSource::Open(std::string name, Opener opener, bool again,
                                                           CsvOptions options) {
  auto source =
      std::unique_ptr<CsvSource>(new CsvSource(std::move(name), std::move(opener), again, std::move(options)));
  const absl::Status status = source->Begin();
  if (!status.ok()) return status;
  for (const std::string& remark : source->reader_->remarks()) Say(remark);
  return source;
}

CsvSource::CsvSource(std::string name, Opener opener, bool again, CsvOptions options)
    : name_(std::move(name)), opener_(std::move(opener)), again_(again), options_(std::move(options)) {}

absl::Status CsvSource::Begin() {
  absl::StatusOr<ByteSource> bytes = opener_();
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::unique_ptr<CsvReader>> reader =
      CsvReader::Open(name_, *std::move(bytes), options_, /*live=*/!again_);
  if (!reader.ok()) return reader.status();
  reader_ = *std::move(reader);
  options_.found_format = reader_->time_format();  // another beginning reads times as this one does
  next_seq_ = 0;
  return absl::OkStatus();
}

absl::StatusOr<bool> CsvSource::Next(Row& row) {
  absl::StatusOr<bool> any = reader_->Next(csv_row_);
  if (!any.ok() || !*any) return any;
  row.time = csv_row_.time;
  row.time_ns = csv_row_.time_ns;
  row.values.assign(csv_row_.values.begin(), csv_row_.values.end());
  ++next_seq_;
  return true;
}

absl::Status CsvSource::Seek(uint64_t seq) {
  if (seq < next_seq_) {
    if (!again_) return absl::DataLossError(absl::StrCat(name_, " cannot be read again from row ", seq));
    absl::Status status = Begin();
    if (!status.ok()) return status;
  }
  while (next_seq_ < seq) {
    const absl::StatusOr<bool> any = reader_->Next(csv_row_);
    if (!any.ok()) return any.status();
    if (!*any) {
      return absl::OutOfRangeError(absl::StrCat(name_, " ends after ", next_seq_, " rows; row ", seq, " is wanted"));
    }
    ++next_seq_;
  }
  return absl::OkStatus();
}

}  // namespace aaren::cli
