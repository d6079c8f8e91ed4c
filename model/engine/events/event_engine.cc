#include "model/engine/events/event_engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "model/engine/events/event_weights.h"
#include "model/engine/events/timed_fold.h"
#include "model/engine/network/activation.h"
#include "model/engine/network/product.h"
#include "model/math/fma.h"
#include "model/math/lanes.h"

namespace aaren::events {
namespace {

constexpr size_t kMarkStride = math::PadToLanes(kMarkInputs);
constexpr size_t kInputStride = math::PadToLanes(kInputs);
constexpr double kNanosecond = 1e-9;

// A token on its way: what the heads need of the memory as it was when the token was made.
struct Waiting {
  EventRow* row;
  EventWish wish;
  double gap, log_scale;
  Places places;
  size_t live;
  bool token;  // false: the event made none
};

struct Tile final : EventEngine::Scratch {
  explicit Tile(const EventWeights& weights)
      : wide_stride(std::max({weights.embed.width(), weights.blocks[0].wide.width(), weights.blocks[0].gate_up.width(),
                              weights.heads.width()})),
        wide(hwy::AllocateAligned<float>(kTile * wide_stride)),
        narrow(hwy::AllocateAligned<float>(kTile * kHidden)),
        added(hwy::AllocateAligned<float>(kTile * kHidden)),
        x(hwy::AllocateAligned<float>(kTile * kWidth)),
        inputs(hwy::AllocateAligned<float>(kTile * kInputStride)),
        marks(hwy::AllocateAligned<float>(kTile * kMarkSlots * kMarkStride)),
        hidden(hwy::AllocateAligned<float>(kMarkSlots * kMarkHidden)),
        ones(hwy::AllocateAligned<float>(kMarkSlots * kMarkHidden)),
        logits(hwy::AllocateAligned<float>(kMarkSlots * math::kLanes)) {
    std::fill_n(inputs.get(), kTile * kInputStride, 0.0f);
    std::fill_n(marks.get(), kTile * kMarkSlots * kMarkStride, 0.0f);
    std::fill_n(ones.get(), kMarkSlots * kMarkHidden, 1.0f);
  }

  float* MarksOf(size_t token) { return marks.get() + token * kMarkSlots * kMarkStride; }

  size_t wide_stride;
  size_t size = 0;  // tokens and events in `waiting`
  Waiting waiting[kTile];
  hwy::AlignedFreeUniquePtr<float[]> wide, narrow, added, x, inputs, marks, hidden, ones, logits;
};

class HostEventEngine final : public EventEngine {
 public:
  explicit HostEventEngine(const EventPackage& package) : weights_(package) {}

  std::unique_ptr<Scratch> NewScratch() const override { return std::make_unique<Tile>(weights_); }
  void Take(const Event& event, const EventWish& wish, EventRow& row, Scratch& scratch) const override;
  void Pass(Scratch& scratch) const override;
  absl::Status Step(absl::Span<const EventRun> runs, Scratch& scratch) const override;

 private:
  void Embed(Tile& tile) const;
  void Attend(size_t index, Tile& tile) const;
  void AddMlp(const EventBlock& block, Tile& tile) const;
  void ReadMarks(const float* heads, size_t token, Tile& tile, float* probabilities) const;
  void Finish(size_t token, Tile& tile) const;

  const EventWeights weights_;
};

absl::Status CheckRuns(absl::Span<const EventRun> runs) {
  absl::flat_hash_set<const EventRow*> rows;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!rows.insert(runs[i].row).second) {
      return absl::InvalidArgumentError(absl::StrCat("runs[", i, "] has the row of another run"));
    }
    bool first = runs[i].row->memory.count == 0;
    int64_t before = runs[i].row->newest_ns;
    for (size_t k = 0; k < runs[i].events.size(); ++k) {
      const int64_t time = runs[i].events[k].time_ns;
      if (!first && time < before) {
        return absl::InvalidArgumentError(
            absl::StrCat("runs[", i, "].events[", k, "] has the time ", time, ", before ", before));
      }
      before = time;
      first = false;
    }
  }
  return absl::OkStatus();
}

absl::Status HostEventEngine::Step(absl::Span<const EventRun> runs, Scratch& scratch) const {
  // All runs are checked before the first event is taken, so a refused call changes no row.
  if (absl::Status status = CheckRuns(runs); !status.ok()) return status;
  Tile& tile = static_cast<Tile&>(scratch);
  for (const EventRun& run : runs) {
    for (size_t k = 0; k < run.events.size(); ++k) {
      Take(run.events[k], {.result = run.results == nullptr ? nullptr : run.results + k}, *run.row, tile);
      if (tile.size == kTile) Pass(tile);
    }
  }
  Pass(tile);
  return absl::OkStatus();
}

void HostEventEngine::Take(const Event& event, const EventWish& wish, EventRow& row, Scratch& scratch) const {
  Tile& tile = static_cast<Tile&>(scratch);
  EventMemory& memory = row.memory;
  const double gap = memory.count == 0 ? 0 : NanosecondsBetween(row.newest_ns, event.time_ns) * kNanosecond;
  if (memory.count == 0 && memory.calendar != 0) memory.epoch = static_cast<double>(event.time_ns) * kNanosecond;
  row.newest_ns = event.time_ns;
  Observe({.gap = gap, .mark = event.mark}, memory);
  // An event that makes no token waits as well. Its surprise needs the outlook of the event before, which may still
  // wait.
  const size_t token = tile.size++;
  Waiting& waiting = tile.waiting[token];
  waiting = {.row = &row,
             .wish = wish,
             .gap = gap,
             .log_scale = 0,
             .places = {},
             .live = memory.live,
             .token = HasScale(memory)};
  float* inputs = tile.inputs.get() + token * kInputStride;
  // The kernels read every place of the tile, and a place without a token must hold numbers.
  std::fill_n(inputs, kInputs, 0.0f);
  if (!waiting.token) return;
  waiting.log_scale = LogScale(memory);
  waiting.places = PlacesOf(memory);
  WriteInputs(memory, inputs);
  // Nobody reads the inputs of marks but the forecast.
  if (wish.result != nullptr) WriteMarkInputs(memory, tile.MarksOf(token), kMarkStride);
}

void HostEventEngine::Pass(Scratch& scratch) const {
  Tile& tile = static_cast<Tile&>(scratch);
  if (tile.size == 0) return;
  Embed(tile);
  for (size_t k = 0; k < kBlocks; ++k) {
    Attend(k, tile);
    AddMlp(weights_.blocks[k], tile);
  }
  for (size_t t = 0; t < tile.size; ++t) {
    engine::RmsNorm(tile.x.get() + t * kWidth, weights_.norm.value, kWidth, kWidth, tile.narrow.get() + t * kWidth);
  }
  engine::Multiply(weights_.heads, tile.narrow.get(), kWidth, tile.size, tile.wide.get(), tile.wide_stride);
  for (size_t t = 0; t < tile.size; ++t) Finish(t, tile);
  tile.size = 0;
}

void HostEventEngine::Embed(Tile& tile) const {
  const PackedMatrix& embed = weights_.embed;
  engine::Multiply(embed, tile.inputs.get(), kInputStride, tile.size, tile.wide.get(), tile.wide_stride);
  for (size_t t = 0; t < tile.size; ++t) {
    const float* wide = tile.wide.get() + t * tile.wide_stride;
    engine::GateBySilu(wide + embed.offset(EventWeights::kEmbedGate), wide + embed.offset(EventWeights::kEmbedUp),
                       kHidden, tile.added.get() + t * kHidden);
  }
  engine::Multiply(weights_.embed_down, tile.added.get(), kHidden, tile.size, tile.x.get(), kWidth);
  engine::AddRows(tile.wide.get() + embed.offset(EventWeights::kEmbedLine), tile.wide_stride, tile.size, kWidth,
                  tile.x.get(), kWidth);
}

void HostEventEngine::Attend(size_t index, Tile& tile) const {
  const EventBlock& block = weights_.blocks[index];
  for (size_t t = 0; t < tile.size; ++t) {
    engine::RmsNorm(tile.x.get() + t * kWidth, block.norm1.value, kWidth, kWidth, tile.narrow.get() + t * kWidth);
  }
  engine::Multiply(block.wide, tile.narrow.get(), kWidth, tile.size, tile.wide.get(), tile.wide_stride);
  for (size_t t = 0; t < tile.size; ++t) {
    const Waiting& waiting = tile.waiting[t];
    const float* wide = tile.wide.get() + t * tile.wide_stride;
    float* out = tile.added.get() + t * kValueWidth;
    if (!waiting.token) {
      std::fill_n(out, kValueWidth, 0.0f);
      continue;
    }
    FoldEvent(wide + block.wide.offset(EventBlock::kScore), wide + block.wide.offset(EventBlock::kValue),
              block.decay.data(), waiting.places.elapsed, waiting.row->layers[index], out);
    engine::GateBySigmoid(wide + block.wide.offset(EventBlock::kGate), out, kValueWidth, out);
  }
  engine::Multiply(block.output, tile.added.get(), kValueWidth, tile.size, tile.narrow.get(), kWidth);
  engine::AddRows(tile.narrow.get(), kWidth, tile.size, kWidth, tile.x.get(), kWidth);
}

void HostEventEngine::AddMlp(const EventBlock& block, Tile& tile) const {
  for (size_t t = 0; t < tile.size; ++t) {
    engine::RmsNorm(tile.x.get() + t * kWidth, block.norm2.value, kWidth, kWidth, tile.narrow.get() + t * kWidth);
  }
  engine::Multiply(block.gate_up, tile.narrow.get(), kWidth, tile.size, tile.wide.get(), tile.wide_stride);
  for (size_t t = 0; t < tile.size; ++t) {
    const float* wide = tile.wide.get() + t * tile.wide_stride;
    engine::GateBySilu(wide + block.gate_up.offset(0), wide + block.gate_up.offset(1), kHidden,
                       tile.added.get() + t * kHidden);
  }
  engine::Multiply(block.down, tile.added.get(), kHidden, tile.size, tile.narrow.get(), kWidth);
  engine::AddRows(tile.narrow.get(), kWidth, tile.size, kWidth, tile.x.get(), kWidth);
}

// The logit of a slot is w . silu(W f + U h) + (P h + p) . f.
void HostEventEngine::ReadMarks(const float* heads, size_t token, Tile& tile, float* probabilities) const {
  const size_t live = tile.waiting[token].live;
  const float* marks = tile.MarksOf(token);
  const PackedMatrix& all = weights_.heads;
  engine::Multiply(weights_.mark_input, marks, kMarkStride, live, tile.hidden.get(), kMarkHidden);
  // The stride of 0 adds the token's part to the row of every mark.
  engine::AddRows(heads + all.offset(EventWeights::kMarkToken), 0, live, kMarkHidden, tile.hidden.get(), kMarkHidden);
  // With ones for values, the gate's kernel is silu alone.
  engine::GateBySilu(tile.hidden.get(), tile.ones.get(), live * kMarkHidden, tile.hidden.get());
  engine::Multiply(weights_.mark_hidden, tile.hidden.get(), kMarkHidden, live, tile.logits.get(), math::kLanes);
  const float* line = heads + all.offset(EventWeights::kMarkLine);
  // The exponential reads whole vectors, and the padding must be numbers.
  alignas(64) float logit[math::PadToLanes(kMarkSlots + 1)];
  std::fill_n(logit, std::size(logit), 0.0f);
  float most = logit[live] = heads[all.offset(EventWeights::kMarkNew)];
  for (size_t k = 0; k < live; ++k) {
    // The sum is taken in the order of j, and so has the same bits for any width of vectors.
    float sum = 0;
    for (size_t j = 0; j < kMarkInputs; ++j) sum += line[j] * marks[k * kMarkStride + j];
    logit[k] = tile.logits[k * math::kLanes] + sum;
    most = std::max(most, logit[k]);
  }
  // The largest logit becomes 0, so no exponential overflows.
  for (size_t k = 0; k <= live; ++k) logit[k] -= most;
  engine::Exp(logit, std::size(logit), logit);
  float whole = 0;
  for (size_t k = 0; k <= live; ++k) whole += logit[k];
  std::fill_n(probabilities, kMarkSlots + 1, 0.0f);
  for (size_t k = 0; k < live; ++k) probabilities[k] = logit[k] / whole;
  probabilities[kNewMark] = logit[live] / whole;
}

void HostEventEngine::Finish(size_t token, Tile& tile) const {
  const Waiting& waiting = tile.waiting[token];
  EventRow& row = *waiting.row;
  const float* heads = tile.wide.get() + token * tile.wide_stride;
  EventResult* result = waiting.wish.result;
  if (result != nullptr) {
    *result = {.outlook = kNoOutlook, .marks = {}, .surprise = std::numeric_limits<float>::quiet_NaN()};
    // The surprise is judged before the row takes the new outlook: the event was forecast by the old outlook.
    if (waiting.wish.surprise) {
      result->surprise = static_cast<float>(SurpriseOf(row.outlook, waiting.gap, waiting.wish.rounding));
    }
  }
  if (!waiting.token) return;
  row.outlook = OutlookOf(heads + weights_.heads.offset(EventWeights::kTime), waiting.places, waiting.log_scale);
  if (result == nullptr) return;
  result->outlook = row.outlook;
  ReadMarks(heads, token, tile, result->marks);
}

}  // namespace

absl::StatusOr<std::unique_ptr<EventEngine>> NewEventEngine(const EventPackage& package) {
  // Without FMA, Highway would emulate the fused multiply-add with two roundings and give other bits.
  if (!math::HasFma()) return absl::FailedPreconditionError("this CPU has no fused multiply-add");
  return std::make_unique<HostEventEngine>(package);
}

EventRow NewEventRow(bool calendar) {
  EventRow row;
  std::memset(&row, 0, sizeof(row));
  row.memory = NoEvents(calendar ? 0 : std::numeric_limits<double>::quiet_NaN());
  // Far below any score: the exponential of the difference is 0, and the first token gets the whole weight.
  for (EventLayer& layer : row.layers) std::fill_n(layer.peak, kHeads, -1e30);
  row.outlook = kNoOutlook;
  return row;
}

}  // namespace aaren::events
