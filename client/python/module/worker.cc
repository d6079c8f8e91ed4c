#include "client/python/module/worker.h"

#include <algorithm>
#include <limits>

#include "client/python/module/model.h"
#include "model/engine/events/event_token.h"
#include "model/engine/forecast_result.h"

namespace aaren::python {
namespace {

// Within one slice of all parts together: 1 MB of results, which are 600 forecasts of the bundled model.
constexpr size_t kMostResultFloats = 1 << 18;
constexpr size_t kMostTokens = 1 << 15;
constexpr size_t kWidth = engine::kFloatsOfDouble;  // a value's, in a run
constexpr size_t kMostRows = 1 << 16;               // the size of a lane, whose memory grows with the rows

}  // namespace

Worker::Worker(const Model& model)
    : row_bytes_(model.engine().row_bytes()),
      forecast_floats_(model.horizon() * model.quantiles()),
      result_floats_(model.engine().result_floats()),
      covariates_(model.covariates()),
      future_(model.future()),
      lane_(model.engine().NewLane(kMostRows)) {}

size_t Worker::InputsOf(const Slice& slice, const Arrays& arrays) const {
  if (arrays.events != nullptr) return events::kTokenFloats;
  return kWidth + covariates_ + (slice.ahead ? arrays.steps * future_ : 0);
}

size_t Worker::ResultFloats(const Arrays& arrays) const {
  return result_floats_ + (arrays.selection == nullptr ? 0 : arrays.selection->floats());
}

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
  const size_t most_forecasts = kMostResultFloats / ResultFloats(arrays);
  size_t left = 0;
  for (size_t i = 0; i < parts.size(); ++i) left += at_[i] < parts[i].end;
  slices_.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (at_[i] == parts[i].end) continue;
    const size_t most = std::max<size_t>(1, most_forecasts / left / arrays.channels);
    Slice slice{.part = i, .begin = at_[i], .end = at_[i]};
    slice.ahead = future_ > 0 && arrays.wanted[slice.begin] != 0;
    const size_t end = std::min(parts[i].end, at_[i] + std::max<size_t>(1, kMostTokens / left));
    while (slice.end < end && slice.wanted < most) {
      // The inputs of a run are equally long, and tokens without a forecast do without the numbers ahead.
      if (future_ > 0 && (arrays.wanted[slice.end] != 0) != slice.ahead) break;
      slice.wanted += arrays.wanted[slice.end++] != 0;
    }
    slices_.push_back(slice);
  }
}

absl::Status Worker::Step(const Arrays& arrays) {
  const size_t result_floats = ResultFloats(arrays);
  size_t tokens = 0, wanted = 0, inputs = 0;
  for (const Slice& slice : slices_) {
    tokens += slice.end - slice.begin;
    wanted += slice.wanted;
    inputs += (slice.end - slice.begin) * InputsOf(slice, arrays);
  }
  values_.resize(inputs * arrays.channels);
  surprises_.resize(arrays.surprises == nullptr ? 0 : tokens * arrays.channels);
  results_.resize(wanted * arrays.channels * result_floats);
  runs_.clear();
  const engine::EventScale scale = arrays.events == nullptr ? engine::EventScale{} : arrays.events->selection->scale;
  float *values = values_.data(), *results = results_.data(), *surprises = surprises_.data();
  for (const Slice& slice : slices_) {
    const size_t count = slice.end - slice.begin, width = InputsOf(slice, arrays);
    for (size_t c = 0; c < arrays.channels; ++c) {
      CopyInputs(slice, c, arrays, values);
      runs_.push_back({.slot = slots_[slice.part * arrays.channels + c],
                       .values = {values, width * count},
                       .forecast = {arrays.wanted + slice.begin, count},
                       .forecasts = slice.wanted == 0 ? nullptr : results,
                       .surprises = arrays.surprises == nullptr ? nullptr : surprises,
                       .selection = slice.ahead || future_ == 0 ? arrays.selection : nullptr,
                       .scale = scale});
      values += width * count;
      results += slice.wanted * result_floats;
      surprises += arrays.surprises == nullptr ? 0 : count;
    }
  }
  const absl::StatusOr<engine::Ticket> ticket = lane_->Submit(runs_);
  if (!ticket.ok()) return ticket.status();
  return lane_->Wait(*ticket);
}

// A token's value, covariates, and the future covariates of the steps ahead. The channels of a token share covariates.
void Worker::CopyInputs(const Slice& slice, size_t channel, const Arrays& arrays, float* out) const {
  if (arrays.events != nullptr) return CopyEvents(*arrays.events, slice.begin, slice.end, out);
  const size_t ahead = slice.ahead ? arrays.steps * future_ : 0;
  for (size_t t = slice.begin; t < slice.end; ++t) {
    engine::PutDouble(arrays.values[t * arrays.channels + channel], out);
    out += kWidth;
    if (covariates_ > 0) out = std::copy_n(arrays.covariates + t * covariates_, covariates_, out);
    if (ahead == 0) continue;
    const size_t place = forecast_at_[slice.part] + t - slice.begin;
    out = arrays.ahead == nullptr ? std::fill_n(out, ahead, std::numeric_limits<float>::quiet_NaN())
                                  : std::copy_n(arrays.ahead + place * ahead, ahead, out);
  }
}

void Worker::Scatter(const Arrays& arrays) {
  // Results come run by run, a channel after the other; the caller's arrays have the channels of a token together.
  const size_t result_floats = ResultFloats(arrays);
  const float *result = results_.data(), *surprise = surprises_.data();
  for (const Slice& slice : slices_) {
    for (size_t c = 0; c < arrays.channels; ++c) {
      size_t place = forecast_at_[slice.part] * arrays.channels + c;
      for (size_t i = 0; i < slice.wanted; ++i, result += result_floats, place += arrays.channels) {
        PutForecast(result, place, arrays);
      }
      if (arrays.surprises == nullptr) continue;
      for (size_t t = slice.begin; t < slice.end; ++t) arrays.surprises[t * arrays.channels + c] = *surprise++;
    }
    at_[slice.part] = slice.end;
    forecast_at_[slice.part] += slice.wanted;
  }
}

void Worker::PutForecast(const float* result, size_t place, const Arrays& arrays) const {
  if (arrays.events != nullptr) return PutEventForecast(result, place, *arrays.events);
  const size_t kept = arrays.steps * arrays.levels;
  const float* const first = result + (arrays.selection == nullptr ? 0 : result_floats_);  // behind the result
  const engine::ResultTail tail = engine::ResultTail::Of(result, forecast_floats_);
  std::transform(first, first + kept, arrays.forecasts + place * kept,
                 [&tail](float quantile) { return tail.Absolute(quantile); });
  arrays.learning[place] = tail.learning;
}

}  // namespace aaren::python
