#include "model/nn/encode.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "model/engine/scaling.h"
#include "model/engine/statistics.h"
#include "model/nn/asinh.h"
#include "model/season/value_memory.h"

namespace aaren {
namespace {

// What the ring holds at one token, oldest first.
struct Ring {
  int present = 0;
  double mean = 0, variance = 0, change = 0, last = 0;
};

Ring Summarize(const double* w, int count) {
  Ring ring;
  double sum = 0, squares = 0, changes = 0;
  int neighbours = 0;
  for (int i = 0; i < count; ++i) {
    if (std::isnan(w[i])) continue;
    ++ring.present;
    sum += w[i];
    ring.last = w[i];
    if (i == 0 || std::isnan(w[i - 1])) continue;
    changes += std::fabs(w[i] - w[i - 1]);
    ++neighbours;
  }
  if (ring.present == 0) return ring;
  ring.mean = sum / ring.present;
  for (int i = 0; i < count; ++i) {
    if (!std::isnan(w[i])) squares += (w[i] - ring.mean) * (w[i] - ring.mean);
  }
  ring.variance = squares / ring.present;
  ring.change = neighbours > 0 ? changes / neighbours : 0;
  return ring;
}

// The arguments of asinh and log, whole-tensor functions that come after: [ring, last, mean | deviation, change | mask,
// age].
void WriteToken(const ForecasterConfig& config, const double* w, const Statistics& running, double* features,
                double* center, double* scale, double* spread) {
  const int size = config.ring;
  const Ring ring = Summarize(w, size);
  *center = ring.present > 0 ? ring.mean : running.mean;
  const double prior = running.Prior() * std::fabs(*center);
  const double variance = running.VarianceBeside(ring.variance, ring.present / static_cast<double>(size));
  *spread = ring.variance / 2 + variance / 2 + prior * prior;
  *scale = std::sqrt(*spread) + 1e-7 * std::fabs(*center) + 1e-30;
  for (int i = 0; i < size; ++i) features[i] = std::isnan(w[i]) ? 0 : (w[i] - *center) / *scale;
  features[size] = ring.present > 0 ? (ring.last - *center) / *scale : 0;
  features[size + 1] = running.MeanFrom(*center, *scale);
  features[size + 2] = std::sqrt(variance) / *scale + 0.01;
  features[size + 3] = ring.change / *scale + 0.01;
  features[size + 4] = 1 - ring.present / static_cast<double>(size);
  features[size + 5] = std::log(1.0 + running.count) / 7;
}

// Values pass through the memory of a row, which rounds those of long ago.
void WriteSeries(const ForecasterConfig& config, const double* values, int64_t count,
                 const std::vector<int64_t>& positions, double* features, double* center, double* scale,
                 double* spread) {
  ValueMemory memory;
  ValueMemory::Window window;
  memory.Reset();
  std::vector<double> w(config.ring);
  Statistics running{};
  size_t k = 0;
  for (int64_t t = 0; t < count && k < positions.size(); ++t) {
    const float value = std::clamp(static_cast<float>(values[t]), -kLargestValue, kLargestValue);  // NaN passes
    const float taken = std::fabs(value) < kLeastValue ? 0 : value;
    if (!std::isnan(taken)) running.Add(taken, config.history);
    memory.Add(t, taken, ReachOf(running));
    if (t != positions[k]) continue;
    const float* newest = memory.Unroll(t, ReachOf(running), window);
    std::copy(newest + 1 - config.ring, newest + 1, w.begin());
    WriteToken(config, w.data(), running, features + k * config.input_width(), center + k, scale + k, spread + k);
    ++k;
  }
}

// Of the first `count` numbers of each token.
void AsinhOfRows(int64_t count, torch::Tensor& features) {
  const int64_t width = features.size(-1);
  float* data = features.data_ptr<float>();
  at::parallel_for(0, features.numel() / width, 64, [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) AsinhInPlace(data + token * width, count);
  });
}

}  // namespace

Encoding Encode(const ForecasterConfig& config, const torch::Tensor& values, const std::vector<int64_t>& positions,
                torch::ScalarType dtype) {
  const int64_t rows = values.size(0), count = values.size(1), tokens = static_cast<int64_t>(positions.size());
  const torch::Tensor input = values.contiguous();
  torch::Tensor raw = torch::empty({rows, tokens, config.input_width()}, torch::kFloat64);
  Encoding encoding;
  encoding.center = torch::empty({rows, tokens}, torch::kFloat64);
  encoding.scale = torch::empty_like(encoding.center);
  encoding.spread = torch::empty_like(encoding.center);
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      WriteSeries(config, input.data_ptr<double>() + row * count, count, positions,
                  raw.data_ptr<double>() + row * tokens * config.input_width(),
                  encoding.center.data_ptr<double>() + row * tokens, encoding.scale.data_ptr<double>() + row * tokens,
                  encoding.spread.data_ptr<double>() + row * tokens);
    }
  });
  encoding.features = raw.to(dtype);
  const std::vector<torch::Tensor> parts = encoding.features.split_with_sizes({config.ring + 2, 2, 2}, -1);
  if (dtype == torch::kFloat32) {
    AsinhOfRows(config.ring + 2, encoding.features);
  } else {
    parts[0].asinh_();
  }
  parts[1].log_();
  return encoding;
}

}  // namespace aaren
