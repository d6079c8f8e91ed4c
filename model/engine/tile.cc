#include "model/engine/tile.h"

#include <algorithm>

#include "model/engine/lanes.h"

namespace aaren {
namespace {

size_t Size(int size) { return static_cast<size_t>(size); }

size_t Widest(const Weights& weights) {
  const BlockWeights& block = weights.blocks[0];
  return std::max({weights.embed_mlp.gate_up.width(), block.score_value_gate.width(), block.mlp.gate_up.width(),
                   weights.head.width()});
}

}  // namespace

FloatRows::FloatRows(size_t rows, size_t width)
    : stride_(PadToLanes(width)), data_(hwy::AllocateAligned<float>(rows * stride_)) {
  std::fill_n(data_.get(), rows * stride_, 0.0f);
}

Tile::Tile(const ForecasterConfig& config, const Weights& weights, const RowLayout& layout)
    : input(kTokens, Size(config.input_width())),
      x(kTokens, Size(config.width)),
      normed(kTokens, Size(config.width)),
      wide(kTokens, Widest(weights)),
      hidden(kTokens, std::max({Size(config.embed_hidden), Size(config.value_width), Size(config.mlp_hidden),
                                weights.head.width()})),
      narrow(kTokens, Size(std::max(config.width, config.horizon))),
      judging(kTokens, layout.calibration().probes().tracked().size()),
      evidence(kTokens, layout.mixture().evidence_size()),
      sources(kTokens, kSourceCount * Size(config.horizon)),
      quantiles(config.quantiles.size()),
      forecast(Size(config.horizon) * config.quantiles.size()),
      fold(Size(config.heads), PadToLanes(Size(config.value_width))),
      window(Size(config.ring)) {}

}  // namespace aaren
