#include "client/python/module/worker.h"

#include <algorithm>

#include "client/python/module/model.h"
#include "model/engine/forecast_result.h"

namespace aaren::python {
namespace {

// Within one slice of all parts together: 512 forecasts of the bundled model are 0.9 MB.
constexpr size_t kMostForecasts = 512;
constexpr size_t kMostTokens = 1 << 15;
constexpr size_t kWidth = engine::kFloatsOfDouble;  // of a value, in a run
constexpr size_t kMostRows = 1 << 16;               // the size of a lane, whose memory grows with the rows

}  // namespace

Worker::Worker(const engine::Engine& engine, size_t horizon, size_t quantiles)
    : row_bytes_(engine.row_bytes()),
      quantiles_(quantiles),
      forecast_floats_(horizon * quantiles),
      result_floats_(engine.result_floats()),
      lane_(engine.NewLane(kMostRows)) {}

absl::Status Worker::Run(absl::Span<const Part> parts, const Arrays& arrays, absl::FunctionRef<bool()> stopped) {
  if (absl::Status status = Enter(parts, arrays.channels); !status.ok()) return status;
  for (Cut(parts, arrays); !slices_.empty(); Cut(parts, arrays)) {
    // Until Leave the sessions' bytes are those before the call.
    if (stopped()) return absl::CancelledError("interrupted");
    if (absl::Status status = Step(arrays); !status.ok()) return status;
    Scatter(arrays);
  }
  return Leave(parts, arrays.channels);
}

absl::Status Worker::Enter(absl::Span<const Part> parts, size_t channels) {
  const size_t rows = parts.size() * channels, held = slots_.size();
  // Slots stay allocated for later batches.
  if (rows > held) {
    slots_.resize(rows);
    if (absl::Status status = lane_->Allocate(absl::MakeSpan(slots_).subspan(held)); !status.ok()) {
      // Without room the worker stays usable for smaller batches.
      slots_.resize(held);
      return status;
    }
  }
  at_.clear();
  forecast_at_.clear();
  writes_.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    at_.push_back(parts[i].begin);
    forecast_at_.push_back(parts[i].first_forecast);
    for (size_t c = 0; c < channels; ++c) {
      writes_.push_back({slots_[i * channels + c], parts[i].rows->bytes.data() + c * row_bytes_});
    }
  }
  return lane_->Write(writes_);
}

absl::Status Worker::Leave(absl::Span<const Part> parts, size_t channels) {
  reads_.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t c = 0; c < channels; ++c) {
      reads_.push_back({slots_[i * channels + c], parts[i].rows->bytes.data() + c * row_bytes_});
    }
  }
  if (absl::Status status = lane_->Read(reads_); !status.ok()) return status;
  for (const Part& part : parts) part.rows->seq += part.end - part.begin;
  return absl::OkStatus();
}

// A part with tokens left gives its share of the most tokens and forecasts, one at least.
void Worker::Cut(absl::Span<const Part> parts, const Arrays& arrays) {
  size_t left = 0;
  for (size_t i = 0; i < parts.size(); ++i) left += at_[i] < parts[i].end;
  slices_.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (at_[i] == parts[i].end) continue;
    const size_t most = std::max<size_t>(1, kMostForecasts / left / arrays.channels);
    Slice slice{.part = i, .begin = at_[i], .end = at_[i]};
    const size_t end = std::min(parts[i].end, at_[i] + std::max<size_t>(1, kMostTokens / left));
    while (slice.end < end && slice.wanted < most) slice.wanted += arrays.wanted[slice.end++] != 0;
    slices_.push_back(slice);
  }
}

absl::Status Worker::Step(const Arrays& arrays) {
  size_t tokens = 0, wanted = 0;
  for (const Slice& slice : slices_) {
    tokens += slice.end - slice.begin;
    wanted += slice.wanted;
  }
  values_.resize(kWidth * tokens * arrays.channels);
  surprises_.resize(arrays.surprises == nullptr ? 0 : tokens * arrays.channels);
  results_.resize(wanted * arrays.channels * result_floats_);
  runs_.clear();
  float *values = values_.data(), *results = results_.data(), *surprises = surprises_.data();
  for (const Slice& slice : slices_) {
    const size_t count = slice.end - slice.begin;
    for (size_t c = 0; c < arrays.channels; ++c) {
      for (size_t t = 0; t < count; ++t) {
        engine::PutDouble(arrays.values[(slice.begin + t) * arrays.channels + c], values + kWidth * t);
      }
      runs_.push_back({.slot = slots_[slice.part * arrays.channels + c],
                       .values = {values, kWidth * count},
                       .forecast = {arrays.wanted + slice.begin, count},
                       .forecasts = slice.wanted == 0 ? nullptr : results,
                       .surprises = arrays.surprises == nullptr ? nullptr : surprises});
      values += kWidth * count;
      results += slice.wanted * result_floats_;
      surprises += arrays.surprises == nullptr ? 0 : count;
    }
  }
  const absl::StatusOr<engine::Ticket> ticket = lane_->Submit(runs_);
  if (!ticket.ok()) return ticket.status();
  return lane_->Wait(*ticket);
}

void Worker::Scatter(const Arrays& arrays) {
  // Results come run by run, a channel after the other; the caller's arrays have the channels of a token together.
  const size_t kept = arrays.horizon * quantiles_;
  const float *result = results_.data(), *surprise = surprises_.data();
  for (const Slice& slice : slices_) {
    for (size_t c = 0; c < arrays.channels; ++c) {
      size_t place = forecast_at_[slice.part] * arrays.channels + c;
      for (size_t i = 0; i < slice.wanted; ++i, result += result_floats_, place += arrays.channels) {
        const engine::ResultTail tail = engine::ResultTail::Of(result, forecast_floats_);
        std::transform(result, result + kept, arrays.forecasts + place * kept,
                       [&tail](float quantile) { return tail.Absolute(quantile); });
        arrays.learning[place] = tail.learning;
      }
      if (arrays.surprises == nullptr) continue;
      for (size_t t = slice.begin; t < slice.end; ++t) arrays.surprises[t * arrays.channels + c] = *surprise++;
    }
    at_[slice.part] = slice.end;
    forecast_at_[slice.part] += slice.wanted;
  }
}

}  // namespace aaren::python
