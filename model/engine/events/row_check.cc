#include "model/engine/events/row_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "model/engine/events/keeps.h"

namespace aaren::events {
namespace {

constexpr double kMostSeconds = 2e10;  // int64 nanoseconds span 1.85e10 seconds
constexpr double kMostLog = 32;        // an interval's, in seconds: from 1e-12 to 2e10
constexpr double kMostVariance = 4 * kMostLog * kMostLog;
constexpr double kMostCount = 0x1p61;  // events
constexpr double kMostPlace = 1e9;     // a component's: weights of at most 10,000 give less
constexpr double kRounding = 1e-3;

// Collects the first fault of a row.
class Faults {
 public:
  // The comparisons are false for NaN, which is refused, too.
  void Need(const char* field, double value, double least, double most) {
    if ((value >= least && value <= most) || !status_.ok()) return;
    status_ = absl::DataLossError(absl::StrCat(field, " is ", value, ", not in [", least, ", ", most, "]"));
  }

  template <typename T>
  void NeedAll(const char* field, const T& values, double least, double most) {
    for (const auto value : values) Need(field, value, least, most);
  }

  // A slot in use, or none.
  void NeedSlot(const char* field, uint8_t slot, uint8_t live) {
    if (slot != kNoSlot) Need(field, slot, 0, live - 1.0);
  }

  // A mean of numbers from least to most, with the share `keep` kept: without numbers, or with the weight of one.
  void NeedMean(const char* field, const Mean& mean, double keep, double least, double most) {
    if (mean.weight == 0) return Need(field, mean.sum, 0, 0);
    Need(field, mean.weight, 1, (1 + kRounding) / (1 - keep));
    const double slack = kRounding * mean.weight;
    Need(field, mean.sum, least * mean.weight - slack, most * mean.weight + slack);
  }

  absl::Status status() const { return status_; }

 private:
  absl::Status status_;
};

void CheckNewest(const Newest& newest, uint8_t live, Faults& faults) {
  faults.Need("newest.gap", newest.gap, 0, kMostSeconds);
  faults.Need("newest.log_since_mark", newest.log_since_mark, -kMostLog, kMostLog);
  faults.Need("newest.slot", newest.slot, 0, live - 1.0);
  faults.NeedSlot("newest.before", newest.before, live);
  for (const uint8_t flag : {newest.fresh, newest.repeat, newest.tie}) faults.Need("a flag of newest", flag, 0, 1);
}

void CheckMeans(const EventMemory& memory, Faults& faults) {
  for (size_t k = 0; k < std::size(kLogKeep); ++k) {
    faults.NeedMean("log_gap", memory.log_gap[k], kLogKeep[k], -kMostLog, kMostLog);
    // The inputs divide by these weights once the first shows a scale.
    if (HasScale(memory)) faults.Need("log_gap's weight", memory.log_gap[k].weight, 1, kMostCount);
  }
  for (size_t k = 0; k < std::size(kGapKeep); ++k) {
    faults.NeedMean("gap", memory.gap[k], kGapKeep[k], 0, kMostSeconds);
  }
  faults.NeedAll("square", memory.square, 0, kMostVariance / (1 - kLogKeep[0]));
  faults.NeedMean("ties", memory.ties, kTieKeep, 0, 1);
  faults.NeedMean("repeats", memory.repeats, kRepeatKeep, 0, 1);
  for (size_t k = 0; k < 2; ++k) {
    faults.NeedMean("fresh", memory.fresh[k], kFreshKeep[k], 0, 1);
    faults.Need("mark_weight", memory.mark_weight[k], 1, (1 + kRounding) / (1 - kMarkKeep[k]));
  }
  faults.NeedAll("trace", memory.trace, 0, static_cast<double>(memory.count) + 1);
  if (memory.calendar != 0) faults.Need("phases", memory.phases, 1, (1 + kRounding) / (1 - kPhaseKeep));
  const double most = (1 + kRounding) * memory.phases;
  faults.NeedAll("cosine", memory.cosine, -most, most);
  faults.NeedAll("sine", memory.sine, -most, most);
}

void CheckSlots(const EventMemory& memory, Faults& faults) {
  for (size_t k = 0; k < memory.live; ++k) {
    const MarkSlot& slot = memory.slots[k];
    faults.Need("slots.last_time", slot.last_time, 0, memory.clock);
    for (size_t i = 0; i < 2; ++i) faults.Need("slots.often", slot.often[i], 0, (1 + kRounding) / (1 - kMarkKeep[i]));
    faults.Need("slots.after_mean", slot.after_mean, -kMostLog, kMostLog);
    faults.Need("slots.after_variance", slot.after_variance, 0, kMostVariance);
    faults.Need("slots.gap_mean", slot.gap_mean, -kMostLog, kMostLog);
    for (const uint8_t next : slot.successors) faults.NeedSlot("slots.successors", next, memory.live);
  }
}

void CheckMemory(const EventMemory& memory, Faults& faults) {
  faults.Need("count", static_cast<double>(memory.count), 1, kMostCount);
  faults.Need("clock", memory.clock, 0, kMostSeconds);
  faults.Need("epoch", memory.epoch, -kMostSeconds, kMostSeconds);
  faults.Need("calendar", memory.calendar, 0, 1);
  faults.Need("live", memory.live, 1, kMarkSlots);
  faults.Need("distinct", memory.distinct, memory.live, static_cast<double>(memory.count));
  // The other checks read as many slots.
  if (!faults.status().ok()) return;
  CheckNewest(memory.newest, memory.live, faults);
  CheckMeans(memory, faults);
  for (const float x : memory.ring) {
    if (x != kAbsent && x != kTied) faults.Need("ring", x, -kMostLog, kMostLog);
  }
  for (const uint8_t slot : memory.marks) faults.NeedSlot("marks", slot, memory.live);
  for (const uint8_t slot : memory.pairs) faults.NeedSlot("pairs", slot, memory.live);
  CheckSlots(memory, faults);
}

void CheckOutlook(const Outlook& outlook, Faults& faults) {
  if (outlook.tie == kNoOutlook.tie) return;
  faults.Need("outlook.tie", outlook.tie, 0, 1);
  faults.Need("outlook.doubt", outlook.doubt, 0, 1);
  faults.Need("outlook.log_scale", outlook.log_scale, -kMostLog, kMostLog);
  faults.NeedAll("outlook.weight", outlook.weight, 0, 1 + kRounding);
  faults.NeedAll("outlook.at", outlook.at, -kMostPlace, kMostPlace);
  faults.NeedAll("outlook.spread", outlook.spread, (1 - kRounding) * kLeastSpread, kMostPlace);
  double sum = 0;
  for (const float weight : outlook.weight) sum += weight;
  faults.Need("the sum of outlook.weight", sum, 1 - kRounding, 1 + kRounding);
}

// sqrt(d) |w g| for row `row` of a matrix behind RMSNorm with the gain g.
double Reach(const EventPackage& package, const std::string& block, const char* matrix, size_t row) {
  const float* weight = package.tensors.at(block + matrix).data.data() + row * kWidth;
  const float* gain = package.tensors.at(block + "norm1.weight").data.data();
  double squares = 0;
  for (size_t k = 0; k < kWidth; ++k) {
    const double product = static_cast<double>(weight[k]) * gain[k];
    squares += product * product;
  }
  return (1 + kRounding) * std::sqrt(kWidth * squares);
}

// No token has come to the network yet.
absl::Status CheckUntouched(const EventRow& row) {
  const EventRow empty = NewEventRow(/*calendar=*/true);
  if (std::memcmp(&row.layers, &empty.layers, sizeof(row.layers)) == 0 &&
      std::memcmp(&row.outlook, &empty.outlook, sizeof(row.outlook)) == 0) {
    return absl::OkStatus();
  }
  return absl::DataLossError("no interval is above 0, but the attention or the outlook is no new row's");
}

}  // namespace

RowBounds::RowBounds(const EventPackage& package) {
  for (size_t i = 0; i < kBlocks; ++i) {
    const std::string block = absl::StrCat("blocks.", i, ".");
    for (size_t h = 0; h < kHeads; ++h) layers_[i].peak[h] = Reach(package, block, "attention.score.weight", h);
    for (size_t j = 0; j < kValueWidth; ++j) {
      layers_[i].output[j] = Reach(package, block, "attention.value.weight", j);
    }
  }
}

absl::Status RowBounds::Check(const EventRow& row) const {
  if (row.memory.count == 0) {
    const EventRow empty = NewEventRow(/*calendar=*/true);
    if (std::memcmp(&row, &empty, sizeof(row)) == 0) return absl::OkStatus();
    return absl::DataLossError("count is 0, but the row is no new row");
  }
  Faults faults;
  CheckMemory(row.memory, faults);
  if (faults.status().ok() && !HasScale(row.memory)) return CheckUntouched(row);
  const double tokens = static_cast<double>(row.memory.count);
  for (size_t i = 0; i < kBlocks && faults.status().ok(); ++i) {
    const EventLayer& layer = row.layers[i];
    for (size_t h = 0; h < kHeads; ++h) {
      faults.Need("an attention's peak", layer.peak[h], -layers_[i].peak[h], layers_[i].peak[h]);
      faults.Need("an attention's weight", layer.weight[h], 1 - kRounding, tokens);
    }
    for (size_t j = 0; j < kValueWidth; ++j) {
      faults.Need("an attention's output", layer.output[j], -layers_[i].output[j], layers_[i].output[j]);
    }
  }
  CheckOutlook(row.outlook, faults);
  return faults.status();
}

}  // namespace aaren::events
