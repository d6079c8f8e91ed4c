#include "model/training/events/event_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "model/package/sha256.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::training {
namespace {

using events::EventSequence;
using events::EventStream;

constexpr double kSecondsPerNanosecond = 1e-9;
constexpr size_t kFewest = 10, kHeldOutStreams = 400;  // events of a stream; streams

// Training draws from even seeds and held-out sequences from odd seeds, so no held-out sequence is ever trained on.
class Generated : public EventSource {
 public:
  explicit Generated(uint64_t seed) : seed_(seed) {}

  EventBatch Draw(int64_t step, int64_t rows, int64_t tokens) const override {
    return DrawEventBatch(2 * seed_, static_cast<uint64_t>(step * rows), rows, tokens);
  }
  EventBatch DrawHeldOut(int64_t first, int64_t rows, int64_t tokens) const override {
    return DrawEventBatch(2 * seed_ + 1, static_cast<uint64_t>(first), rows, tokens);
  }
  std::string Fingerprint() const override { return absl::StrCat("generator=", events::kGeneratorEdition); }

 private:
  const uint64_t seed_;
};

template <typename T>
absl::string_view BytesOf(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

class Recorded : public EventSource {
 public:
  Recorded(absl::Span<const EventStream> streams, const RecordedOptions& options) : options_(options) {
    std::map<uint64_t, int> marks;
    for (const EventStream& stream : streams) {
      if (stream.times_ns.size() < kFewest) continue;
      streams_.push_back({.times_ns = stream.times_ns,
                          .marks = {},
                          .split = SplitEvents(stream.times_ns.size()),
                          .calendar = options.calendar && stream.times_ns.front() >= events::kFirstDate});
      for (uint64_t mark : stream.marks) {
        streams_.back().marks.push_back(marks.try_emplace(mark, static_cast<int>(marks.size())).first->second);
      }
      trained_ += streams_.back().split.trained;
      ends_.push_back(trained_);
    }
  }

  EventBatch Draw(int64_t step, int64_t rows, int64_t tokens) const override {
    std::vector<EventSequence> sequences;
    for (int64_t row = 0; row < rows; ++row) {
      forecasting::Random random(options_.seed, static_cast<uint64_t>(step * rows + row));
      const Stream& stream = DrawStream(random);
      const size_t most = static_cast<size_t>(tokens) + 2, trained = stream.split.trained;
      const size_t first = trained > most ? random.Below(static_cast<int>(trained - most + 1)) : 0;
      sequences.push_back(Crop(stream, first, std::min(trained, first + most)));
    }
    return EventBatchOf(sequences, options_.seed + static_cast<uint64_t>(step));
  }

  EventBatch DrawHeldOut(int64_t from, int64_t rows, int64_t tokens) const override {
    const size_t count = std::min(kHeldOutStreams, streams_.size());
    const size_t end = std::min(count, static_cast<size_t>(from + rows));
    std::vector<EventSequence> sequences;
    std::vector<size_t> scored;
    for (auto i = static_cast<size_t>(from); i < end; ++i) {
      const Stream& stream = streams_[i * streams_.size() / count];
      const size_t known = stream.split.known, first = known - std::min(known, static_cast<size_t>(tokens) + 2);
      sequences.push_back(Crop(stream, first, known));
      scored.push_back(stream.split.trained - std::min(stream.split.trained, first));
    }
    EventBatch held_out = EventBatchOf(sequences, options_.seed);
    for (size_t row = 0; row < scored.size(); ++row) IgnoreEventsBefore(scored[row], row, held_out);
    return held_out;
  }

  std::string Fingerprint() const override {
    std::string digest;
    for (const Stream& one : streams_) {
      digest = package::Sha256({digest, BytesOf(one.times_ns), BytesOf(one.marks), one.calendar ? "dated" : ""});
    }
    return absl::StrCat("data=", options_.name, " values=", digest, " rounding=", options_.rounding);
  }

 private:
  struct Stream {
    std::vector<int64_t> times_ns;
    std::vector<int> marks;
    EventSplit split;
    bool calendar;
  };

  // Streams are drawn by their events, so every event is drawn about equally often.
  const Stream& DrawStream(forecasting::Random& random) const {
    const auto event = static_cast<size_t>(random.Uniform() * static_cast<double>(trained_));
    const size_t at = std::upper_bound(ends_.begin(), ends_.end(), event) - ends_.begin();
    return streams_[std::min(at, streams_.size() - 1)];
  }

  EventSequence Crop(const Stream& stream, size_t first, size_t end) const {
    EventSequence crop;
    for (size_t i = first; i < end; ++i) {
      crop.times.push_back(events::NanosecondsBetween(stream.times_ns[first], stream.times_ns[i]) *
                           kSecondsPerNanosecond);
      crop.marks.push_back(stream.marks[i]);
    }
    crop.rounding = options_.rounding;
    if (stream.calendar) crop.epoch = static_cast<double>(stream.times_ns[first]) * kSecondsPerNanosecond;
    return crop;
  }

  // Token k of a row forecasts event k + 2.
  static void IgnoreEventsBefore(size_t event, size_t row, EventBatch& batch) {
    const auto begin = batch.weights.begin() + static_cast<int64_t>(row) * batch.tokens;
    std::fill(begin, begin + std::clamp<int64_t>(static_cast<int64_t>(event) - 2, 0, batch.tokens), 0.0f);
  }

  const RecordedOptions options_;
  std::vector<Stream> streams_;
  std::vector<size_t> ends_;  // where each stream's trained events end, counted through all streams
  size_t trained_ = 0;
};

}  // namespace

std::unique_ptr<EventSource> GeneratedEvents(uint64_t seed) { return std::make_unique<Generated>(seed); }

EventSplit SplitEvents(size_t events) {
  const size_t part = std::max<size_t>(1, events / 10);
  return {.trained = events - 2 * part, .known = events - part};
}

std::unique_ptr<EventSource> RecordedEvents(absl::Span<const EventStream> streams, const RecordedOptions& options) {
  return std::make_unique<Recorded>(streams, options);
}

}  // namespace aaren::training
