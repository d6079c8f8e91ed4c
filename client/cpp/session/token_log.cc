#include "client/cpp/session/token_log.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace aaren::client {
namespace {

// Less dropped memory than this is not worth a move of the remaining rows.
constexpr size_t kReclaimBytes = 4096;

}  // namespace

template <typename T>
void TokenLog::Column<T>::Drop(size_t rows) {
  head_ += rows * width_;
  // Half of the rows at least are dropped at a move, so each row is moved about once.
  if (head_ * sizeof(T) < kReclaimBytes || head_ < data_.size() / 2) return;
  data_.erase(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
}

void TokenLog::Reset(uint64_t seq, uint32_t channels, DeclaredCovariates declared) {
  begin_ = seq;
  channels_ = channels;
  declared_ = declared;
  shaped_ = false;
  // After a rewind the application sends earlier times again.
  last_time_ = INT64_MIN;
  values_.Reset(0);
  doubles_.Reset(0);
  times_.Reset(0);
  marks_.Reset(0);
  covariates_.Reset(0);
  future_.Reset(0);
  silent_.Reset(1);
}

absl::Status TokenLog::CheckWidth(absl::string_view name, size_t size, size_t tokens, size_t width) const {
  if (size == tokens * width) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a batch of ", tokens, " tokens at seq ", end(), " has ", size, " ",
                                                 name, "; ", tokens, " x ", width, " expected"));
}

absl::Status TokenLog::CheckValues(const TokenBatch& batch) const {
  // A double beyond the floats is infinite as a float.
  const auto infinite = [](double value) { return std::isinf(static_cast<float>(value)); };
  const auto value = std::find_if(batch.values.begin(), batch.values.end(), infinite);
  const auto number = std::find_if(batch.doubles.begin(), batch.doubles.end(), infinite);
  if (value == batch.values.end() && number == batch.doubles.end()) return absl::OkStatus();
  const auto index =
      static_cast<uint64_t>(batch.doubles.empty() ? value - batch.values.begin() : number - batch.doubles.begin());
  return absl::InvalidArgumentError(absl::StrCat("token ", end() + index / channels_, ", channel ", index % channels_,
                                                 ": the value is infinite as a float; NaN marks a missing one"));
}

absl::Status TokenLog::CheckCovariates(const TokenBatch& batch, size_t tokens) const {
  // The Open's number counts; without one the first batch decides, as for other kinds of data.
  const auto width = [&](size_t declared, size_t known, size_t size) {
    return declared > 0 ? declared : shaped_ ? known : size / tokens;
  };
  absl::Status status = CheckWidth("covariates", batch.covariates.size(), tokens,
                                   width(declared_.now, covariates_.width(), batch.covariates.size()));
  const bool future = shaped_ ? future_.width() > 0 : !batch.future_values.empty();
  status.Update(CheckWidth("future values", batch.future_values.size(), tokens,
                           future ? width(declared_.future, future_.width(), batch.future_values.size()) : 0));
  const auto infinite = [](float value) { return std::isinf(value); };
  const auto covariate = std::find_if(batch.covariates.begin(), batch.covariates.end(), infinite);
  if (!status.ok() || (covariate == batch.covariates.end() &&
                       std::none_of(batch.future_values.begin(), batch.future_values.end(), infinite))) {
    return status;
  }
  if (covariate == batch.covariates.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a batch at seq ", end(), ": a future value is infinite; NaN marks an unknown one"));
  }
  const auto index = static_cast<uint64_t>(covariate - batch.covariates.begin());
  const uint64_t each = batch.covariates.size() / tokens;
  return absl::InvalidArgumentError(absl::StrCat("token ", end() + index / each, ", covariate ", index % each,
                                                 ": the value is infinite; NaN marks a missing one"));
}

absl::Status TokenLog::CheckTimes(const TokenBatch& batch) const {
  int64_t last = last_time_;
  for (size_t i = 0; i < batch.times_ns.size(); ++i) {
    if (batch.times_ns[i] < last) {
      return absl::InvalidArgumentError(absl::StrCat("token ", end() + i, ": its time ", batch.times_ns[i],
                                                     " ns goes back; the one before is at ", last, " ns"));
    }
    last = batch.times_ns[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> TokenLog::Check(const TokenBatch& batch) const {
  const size_t values = batch.values.size() + batch.doubles.size();
  const size_t tokens = values == 0 ? batch.marks.size() : values / channels_;
  if (tokens == 0) {
    return absl::InvalidArgumentError(absl::StrCat("a batch at seq ", end(), " holds no whole token: ", values,
                                                   " values of ", channels_, " channels"));
  }
  if (!batch.values.empty() && !batch.doubles.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a batch at seq ", end(), " has values and doubles"));
  }
  // The first batch fixes the kinds of data; each later batch must have the same.
  const auto width = [&](size_t known, size_t size, size_t natural) {
    return shaped_ ? known : (size == 0 ? 0 : natural);
  };
  absl::Status status =
      CheckWidth("values", batch.values.size(), tokens, width(values_.width(), batch.values.size(), channels_));
  status.Update(
      CheckWidth("doubles", batch.doubles.size(), tokens, width(doubles_.width(), batch.doubles.size(), channels_)));
  status.Update(CheckWidth("times", batch.times_ns.size(), tokens, width(times_.width(), batch.times_ns.size(), 1)));
  status.Update(CheckWidth("marks", batch.marks.size(), tokens, width(marks_.width(), batch.marks.size(), 1)));
  status.Update(CheckCovariates(batch, tokens));
  status.Update(CheckValues(batch));
  status.Update(CheckTimes(batch));
  if (!status.ok()) return status;
  return tokens;
}

void TokenLog::FixShape(const TokenBatch& batch, size_t tokens) {
  shaped_ = true;
  values_.Reset(batch.values.size() / tokens);
  doubles_.Reset(batch.doubles.size() / tokens);
  times_.Reset(batch.times_ns.size() / tokens);
  marks_.Reset(batch.marks.size() / tokens);
  covariates_.Reset(batch.covariates.size() / tokens);
  future_.Reset(batch.future_values.size() / tokens);
}

void TokenLog::Append(const TokenBatch& batch, size_t tokens) {
  if (!shaped_) FixShape(batch, tokens);
  values_.Append(batch.values);
  doubles_.Append(batch.doubles);
  times_.Append(batch.times_ns);
  marks_.Append(batch.marks);
  covariates_.Append(batch.covariates);
  future_.Append(batch.future_values);
  for (size_t i = 0; i < tokens; ++i) silent_.Append({uint8_t{batch.silent}});
  if (!batch.times_ns.empty()) last_time_ = batch.times_ns.back();
}

void TokenLog::DropBelow(uint64_t seq) {
  if (seq <= begin_) return;
  const size_t rows = std::min(seq, end()) - begin_;
  values_.Drop(rows);
  doubles_.Drop(rows);
  times_.Drop(rows);
  marks_.Drop(rows);
  covariates_.Drop(rows);
  future_.Drop(rows);
  silent_.Drop(rows);
  begin_ += rows;
}

size_t TokenLog::token_bytes() const {
  // A mark takes up to five bytes, as a varint of 32 bits.
  return sizeof(float) * (values_.width() + covariates_.width() + future_.width()) + sizeof(double) * doubles_.width() +
         sizeof(int64_t) * times_.width() + 5 * marks_.width();
}

size_t TokenLog::CopyTo(uint64_t seq, size_t max_tokens, v1::Tokens& out) const {
  const size_t row = seq - begin_;
  const auto flags = silent_.Rows(row, std::min<size_t>(max_tokens, end() - seq));
  // An item is silent as a whole: the copy ends where the flag changes.
  const auto other = std::find(flags.begin(), flags.end(), uint8_t{flags[0] == 0});
  const auto tokens = static_cast<size_t>(other - flags.begin());
  const auto copy = [&](const auto& column, auto& field) {
    const auto rows = column.Rows(row, tokens);
    field.Add(rows.begin(), rows.end());
  };
  out.set_first_seq(seq);
  out.set_silent(flags[0] != 0);
  copy(values_, *out.mutable_values());
  copy(doubles_, *out.mutable_doubles());
  copy(times_, *out.mutable_times_ns());
  copy(marks_, *out.mutable_marks());
  copy(covariates_, *out.mutable_covariates());
  copy(future_, *out.mutable_future_values());
  return tokens;
}

uint64_t TokenLog::FirstAsking(uint64_t begin, uint64_t end, uint64_t every) const {
  uint64_t seq = std::max(begin, begin_);
  for (seq = (seq + every - 1) / every * every; seq < end; seq += every) {
    if (seq >= this->end() || silent_.Rows(seq - begin_, 1)[0] == 0) return seq;
  }
  return end;
}

}  // namespace aaren::client
