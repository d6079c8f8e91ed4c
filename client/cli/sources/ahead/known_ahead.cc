#include "client/cli/sources/ahead/known_ahead.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::cli {

void KnownAhead::ReadAhead() {
  Row row;
  const absl::StatusOr<bool> any = source_->Next(row);
  ended_ = !any.ok() || !*any;
  status_ = any.status();
  if (ended_) return;
  const bool value = std::any_of(row.values.begin(), row.values.end(), [](double one) { return !std::isnan(one); });
  rows_.push_back(std::move(row));
  if (value) with_values_ = rows_.size();
}

void KnownAhead::Append(const Row& ahead, Row& row) const {
  row.future.insert(row.future.end(), ahead.covariates.begin() + covariates().past, ahead.covariates.end());
}

// Rows behind the source's own, up to the horizon.
void KnownAhead::AppendFurther(const Row& behind, Row& row) const {
  const size_t width = covariates().future;
  const size_t wanted = options_.horizon * width;
  if (options_.further && row.future.size() < wanted) {
    const std::optional<int64_t> time = has_times() ? std::optional(behind.time_ns) : std::nullopt;
    const std::vector<float> values =
        options_.further->Behind(time, options_.grid(), options_.horizon - row.future.size() / width);
    row.future.insert(row.future.end(), values.begin(), values.end());
  }
  row.future.resize(wanted, std::numeric_limits<float>::quiet_NaN());
}

absl::StatusOr<bool> KnownAhead::Next(Row& row) {
  if (!options_.file) {
    const absl::StatusOr<bool> any = source_->Next(row);
    if (!any.ok() || !*any) return any;
    row.future.clear();
    AppendFurther(row, row);
    return true;
  }
  // A row without values is a gap, if a row with a value follows.
  while (!ended_ && (rows_.size() <= options_.horizon || with_values_ == 0)) ReadAhead();
  // An error is told behind all rows before it.
  if (rows_.empty() || (with_values_ == 0 && status_.ok())) {
    if (!status_.ok()) return status_;
    return false;
  }
  row = std::move(rows_.front());
  rows_.pop_front();
  with_values_ -= with_values_ > 0 ? 1 : 0;
  row.future.clear();
  const size_t ahead = std::min(rows_.size(), options_.horizon);
  for (size_t i = 0; i < ahead; ++i) Append(rows_[i], row);
  AppendFurther(ahead == 0 ? row : rows_[ahead - 1], row);
  return true;
}

void KnownAhead::Clear() {
  rows_.clear();
  with_values_ = 0;
  ended_ = false;
  status_ = absl::OkStatus();
}

absl::StatusOr<std::string> KnownAhead::GoOn(const SessionPlace& place) {
  Clear();
  return source_->GoOn(place);
}

absl::Status KnownAhead::Seek(uint64_t seq) {
  Clear();
  return source_->Seek(seq);
}

std::vector<std::string> KnownAhead::Summary() const {
  std::vector<std::string> said = source_->Summary();
  if (ended_ && status_.ok() && !rows_.empty()) {
    said.push_back(absl::StrCat(rows_.size(), rows_.size() == 1 ? " row" : " rows",
                                " at the end without a value: taken for what is known in advance"));
  }
  return said;
}

}  // namespace aaren::cli
