#include "model/training/batch.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::training {
namespace {

// Without jitter, forecasts between folds are much worse. Jitter in every gap made forecasts worse, too.
constexpr double kJitterShare = 0.3, kMixShare = 0.15, kFlipShare = 0.25;  // shares: of gaps; of crops
// Steps own separate ranges of draws, two draws a row, so no two steps share a series.
constexpr uint64_t kDrawsPerStep = 1 << 20, kHeldOutPositions = 1;  // numbers of draws per step; a seed

std::vector<int64_t> JitteredPositions(forecasting::Random& random, int fold_every, int count) {
  std::vector<int64_t> positions;
  int64_t at = random.Below(std::min(fold_every, count));
  for (; at < count; at += random.Chance(kJitterShare) ? 1 + random.Below(fold_every) : fold_every)
    positions.push_back(at);
  return positions;
}

// Standardizes the values present to mean 0 and deviation 1.
void StandardizePresent(std::vector<double>& values) {
  double count = 0, mean = 0, variance = 0;
  for (double value : values) {
    if (std::isnan(value)) continue;
    const double delta = value - mean;
    mean += delta / ++count;
    variance += delta * (value - mean);
  }
  const double gain = variance > 0 ? std::sqrt(count / variance) : 0;
  for (double& value : values) value = (value - mean) * gain;
}

// The changes to one crop.
struct Augmentation {
  double share = 1;  // the crop's; another crop gives the remaining share
  bool flip = false;
};

std::vector<Augmentation> DrawAugmentations(forecasting::Random& random, int count) {
  std::vector<Augmentation> all(count);
  for (Augmentation& one : all) {
    if (random.Chance(kMixShare)) one.share = random.Uniform(0.1, 0.9);
    one.flip = random.Chance(kFlipShare);
  }
  return all;
}

std::vector<double> Augmented(const SeriesSource& source, const Augmentation& augmentation, uint64_t index,
                              int length) {
  std::vector<double> values = source.Draw(index, length);
  if (const double share = augmentation.share; share < 1) {
    std::vector<double> other = source.Draw(index + 1, length);
    StandardizePresent(values);
    StandardizePresent(other);
    for (int t = 0; t < length; ++t) values[t] = share * values[t] + (1 - share) * other[t];
  }
  // Only a share is flipped, so most series keep properties of their own, for example never being negative.
  if (augmentation.flip) {
    for (double& value : values) value = -value;
  }
  return values;
}

// The power of two by which the crops of this step are longer than `context`.
int LengthExponent(forecasting::Random& random) {
  const double draw = random.Uniform();
  return draw < 0.2 ? -1 : draw < 0.65 ? 0 : draw < 0.88 ? 1 : 2;
}

void SetRow(const std::vector<double>& values, int64_t row, torch::Tensor& rows) {
  std::copy(values.begin(), values.end(), rows.data_ptr<double>() + row * rows.size(1));
}

}  // namespace

Batch Batch::EveryRow(int64_t first, int64_t stride) const {
  const auto rows = [&](const torch::Tensor& all) {
    return all.defined() ? all.slice(0, std::min(first, all.size(0)), all.size(0), stride).contiguous() : all;
  };
  return {.values = rows(values), .positions = positions, .first_targets = rows(first_targets)};
}

torch::Tensor Batch::Scored(const torch::Tensor& ahead) const {
  if (!first_targets.defined()) return torch::ones_like(ahead, torch::kBool).unsqueeze(0);
  return ahead.unsqueeze(0) >= first_targets;
}

Batch TrainingBatch(const package::ForecasterConfig& config, const SeriesSource& source, int64_t step, int rows,
                    int context) {
  forecasting::Random random(source.seed(), static_cast<uint64_t>(step));
  const double stretch = std::pow(2, LengthExponent(random));
  const int length = std::max(1, static_cast<int>(context * stretch));
  // Longer crops are fewer, so that the tokens of a batch stay about equal in number.
  const int count = std::max(1, static_cast<int>(rows / stretch));
  Batch batch;
  batch.positions = JitteredPositions(random, config.fold_every, length);
  batch.values = torch::empty({count, length + config.horizon}, torch::kFloat64);
  // All random numbers of the step are drawn before the threads start, so a batch does not depend on the number of
  // threads.
  const std::vector<Augmentation> augmentations = DrawAugmentations(random, count);
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      // Each row owns two draws: the crop, and the crop to mix with.
      const uint64_t index = static_cast<uint64_t>(step) * kDrawsPerStep + 2 * row;
      SetRow(Augmented(source, augmentations[row], index, length + config.horizon), row, batch.values);
    }
  });
  return batch;
}

Batch HeldOutBatch(const package::ForecasterConfig& config, const SeriesSource& source, int rows, int context) {
  Batch batch;
  // The positions are the same at every check and in every run, so held-out losses can be compared.
  forecasting::Random random(kHeldOutPositions, 0);
  batch.positions = JitteredPositions(random, config.fold_every, context);
  const uint64_t crops = source.HeldOutCrops();
  const int count = crops == 0 ? rows : static_cast<int>(std::min<uint64_t>(rows, crops)),
            length = context + config.horizon;
  batch.values = torch::empty({count, length}, torch::kFloat64);
  batch.first_targets = torch::empty({count, 1, 1}, torch::kInt64);
  for (int row = 0; row < count; ++row) {
    SetRow(source.DrawHeldOut(row, length), row, batch.values);
    batch.first_targets[row].fill_(source.HeldOutStart(row, length));
  }
  return batch;
}

}  // namespace aaren::training
