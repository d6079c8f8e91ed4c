#ifndef AAREN_CLIENT_CPP_SESSION_TOKEN_LOG_H_
#define AAREN_CLIENT_CPP_SESSION_TOKEN_LOG_H_

// A TokenLog keeps a session's latest tokens, begin() .. end() - 1, in order of seq: tokens not sent yet and tokens
// that the server may want again. Columns are packed: a token costs its own bytes, and a range is copied into a message
// by a single copy per column. Threading: a plain value.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aaren/client/forecast.h"
#include "aaren/v1/stream.pb.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::client {

// The values of covariates in a token, as the Open declares; 0: none, or as many as the first batch has.
struct DeclaredCovariates {
  size_t now = 0;
  size_t future = 0;  // at all steps ahead together
};

class TokenLog {
 public:
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return begin_ + silent_.rows(); }

  // Forgets all tokens; the next token is `seq`, with `channels` values.
  void Reset(uint64_t seq, uint32_t channels, DeclaredCovariates declared = {});

  // The number of tokens in `batch`. InvalidArgument, naming token and values, if the arrays disagree with each other
  // or with earlier batches, a value is infinite, or a time goes back.
  absl::StatusOr<size_t> Check(const TokenBatch& batch) const;

  // REQUIRES: Check(batch) said `tokens`.
  void Append(const TokenBatch& batch, size_t tokens);

  void DropBelow(uint64_t seq);

  // The most bytes of a token in a message.
  size_t token_bytes() const;

  // Copies tokens seq .. into `out`, as many as `max_tokens` and a common `silent` flag allow; returns the number.
  // REQUIRES: begin() <= seq < end().
  size_t CopyTo(uint64_t seq, size_t max_tokens, v1::Tokens& out) const;

  // The first seq in [begin, end) that is a multiple of `every` and not silent; `end` if none is. Dropped tokens count
  // as silent.
  uint64_t FirstAsking(uint64_t begin, uint64_t end, uint64_t every) const;

 private:
  // Rows of `width` values; rows before `head` are dropped, and reclaimed now and then.
  template <typename T>
  class Column {
   public:
    void Reset(size_t width) {
      data_.clear();
      head_ = 0;
      width_ = width;
    }
    size_t width() const { return width_; }
    size_t rows() const { return width_ == 0 ? 0 : (data_.size() - head_) / width_; }
    absl::Span<const T> Rows(size_t row, size_t n) const {
      return absl::MakeConstSpan(data_).subspan(head_ + row * width_, n * width_);
    }
    void Append(absl::Span<const T> values) { data_.insert(data_.end(), values.begin(), values.end()); }
    void Drop(size_t rows);

   private:
    std::vector<T> data_;
    size_t head_ = 0;
    size_t width_ = 0;
  };

  void FixShape(const TokenBatch& batch, size_t tokens);
  absl::Status CheckWidth(absl::string_view name, size_t size, size_t tokens, size_t width) const;
  absl::Status CheckCovariates(const TokenBatch& batch, size_t tokens) const;
  absl::Status CheckValues(const TokenBatch& batch) const;
  absl::Status CheckTimes(const TokenBatch& batch) const;

  uint64_t begin_ = 0;
  uint32_t channels_ = 1;
  DeclaredCovariates declared_;
  bool shaped_ = false;  // a batch has fixed the columns
  int64_t last_time_ = INT64_MIN;
  Column<float> values_;
  Column<double> doubles_;
  Column<int64_t> times_;
  Column<uint32_t> marks_;
  Column<float> covariates_;
  Column<float> future_;
  Column<uint8_t> silent_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_SESSION_TOKEN_LOG_H_
