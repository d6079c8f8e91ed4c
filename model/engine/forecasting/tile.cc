#include "model/engine/forecasting/tile.h"

#include <algorithm>

#include "model/math/lanes.h"

namespace aaren::engine {
namespace {

size_t Size(int size) { return static_cast<size_t>(size); }

// Rows that only a network with seasons needs; none is not to be had.
size_t Seasonal(const package::ForecasterConfig& config, size_t rows) { return config.seasons ? rows : 1; }

size_t Widest(const Weights& weights) {
  const BlockWeights& block = weights.blocks[0];
  return std::max({weights.embed_mlp.gate_up.width(), block.score_value_gate.width(), block.mlp.gate_up.width(),
                   weights.head.width()});
}

}  // namespace

FloatRows::FloatRows(size_t rows, size_t width)
    : stride_(math::PadToLanes(width)), data_(hwy::AllocateAligned<float>(rows * stride_)) {
  std::fill_n(data_.get(), rows * stride_, 0.0f);
}

Tile::Tile(const package::ForecasterConfig& config, const Weights& weights, const RowLayout& layout)
    : input(kTokens, Size(config.input_width())),
      x(kTokens, Size(config.width)),
      normed(kTokens, Size(config.width)),
      wide(kTokens, Widest(weights)),
      hidden(kTokens, std::max({Size(config.embed_hidden), Size(config.value_width), Size(config.mlp_hidden),
                                weights.head.width()})),
      narrow(kTokens, Size(std::max(config.width, config.horizon))),
      judging(kTokens, layout.calibration().probes().tracked().size()),
      evidence(kTokens, layout.mixture().evidence_size()),
      sources(kTokens, season::kSourceCount * Size(config.horizon)),
      standard(Seasonal(config, kTokens), season::kSourceCount * Size(config.horizon)),
      residuals(Seasonal(config, kTokens),
                season::kSeasonSources * Size(package::ForecasterConfig::kSeasonalResiduals)),
      corrections(Seasonal(config, season::kSeasonSources * kTokens), Size(config.horizon)),
      logits(Seasonal(config, kTokens), weights.seasons.has_value() ? weights.seasons->gate().width() : 1),
      quantiles(config.quantiles.size()),
      forecast(Size(config.horizon) * config.quantiles.size()),
      fold(Size(config.heads), math::PadToLanes(Size(config.value_width))),
      window(Size(config.ring)) {}

}  // namespace aaren::engine
