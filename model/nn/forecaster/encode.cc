#include "model/nn/forecaster/encode.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "model/nn/forecaster/asinh.h"
#include "model/nn/forecaster/series_encoder.h"
#include "model/season/sources.h"

namespace aaren::nn {
namespace {

// Replaces the first `count` numbers of each token by their asinh.
void AsinhOfRows(int64_t count, torch::Tensor& features) {
  const int64_t width = features.size(-1);
  float* data = features.data_ptr<float>();
  at::parallel_for(0, features.numel() / width, 64, [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) AsinhInPlace(data + token * width, count);
  });
}

// The inputs of all tokens of `rows` series, to be filled in.
struct Places {
  Places(const package::ForecasterConfig& config, int64_t rows, int64_t tokens)
      : features(torch::empty({rows, tokens, config.input_width()}, torch::kFloat64)),
        center(torch::empty({rows, tokens}, torch::kFloat64)),
        scale(torch::empty_like(center)),
        spread(torch::empty_like(center)),
        gap(torch::empty({rows, tokens}, torch::kInt64)) {
    const int64_t seasonal = config.seasons ? tokens : 0;
    sources = torch::empty({rows, seasonal, season::kSourceCount, config.horizon}, torch::kFloat32);
    residuals = torch::empty({rows, seasonal, season::kSourceCount - 1, package::ForecasterConfig::kSeasonalResiduals},
                             torch::kFloat32);
  }

  TokenPlace At(int64_t token) const {
    return {.features = features.data_ptr<double>() + token * features.size(-1),
            .center = center.data_ptr<double>() + token,
            .scale = scale.data_ptr<double>() + token,
            .spread = spread.data_ptr<double>() + token,
            .gap = gap.data_ptr<int64_t>() + token,
            .sources = Of(sources, token),
            .residuals = Of(residuals, token)};
  }

  static float* Of(const torch::Tensor& all, int64_t token) {
    // A model without seasons has empty tensors, and an empty tensor has no place for a token.
    return all.numel() == 0 ? nullptr : all.data_ptr<float>() + token * all.size(-2) * all.size(-1);
  }

  torch::Tensor features, center, scale, spread, gap, sources, residuals;
};

// Encodes one series; `first` is the series' first token among all.
void EncodeSeries(const package::ForecasterConfig& config, const double* values, const std::vector<int64_t>& positions,
                  int64_t first, const Places& places) {
  SeriesEncoder encoder(config);
  int64_t t = 0;
  for (size_t k = 0; k < positions.size(); ++k) {
    // Values between the chosen tokens pass through the encoder too, because statistics and memory need every value.
    while (t < positions[k]) encoder.Take(values[t++]);
    encoder.Take(values[t++], places.At(first + static_cast<int64_t>(k)));
  }
}

}  // namespace

Encoding Encode(const package::ForecasterConfig& config, const torch::Tensor& values,
                const std::vector<int64_t>& positions, torch::ScalarType dtype) {
  const int64_t rows = values.size(0), count = values.size(1), tokens = static_cast<int64_t>(positions.size());
  const torch::Tensor input = values.contiguous();
  const Places places(config, rows, tokens);
  // A series is one chain from its first value to its last, so threads share series and not tokens.
  at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      EncodeSeries(config, input.data_ptr<double>() + row * count, positions, row * tokens, places);
    }
  });
  Encoding encoding;
  encoding.features = places.features.to(dtype);
  encoding.center = places.center;
  encoding.scale = places.scale;
  encoding.spread = places.spread;
  encoding.gap = places.gap;
  if (config.seasons) encoding.sources = places.sources.to(dtype);
  if (config.seasons) encoding.residuals = places.residuals.to(dtype);
  // float32 has the engine's bits (asinh.h). float64 is the reference for tests, and takes torch's own asinh.
  if (dtype == torch::kFloat32) {
    AsinhOfRows(config.ring + 2, encoding.features);
  } else {
    encoding.features.narrow(-1, 0, config.ring + 2).asinh_();
  }
  // Numbers P + 2 and P + 3 are arguments of a logarithm (rule 2.11).
  encoding.features.narrow(-1, config.ring + 2, 2).log_();
  return encoding;
}

}  // namespace aaren::nn
