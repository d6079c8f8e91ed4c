#include "model/engine/forecasting/forward.h"

#include <algorithm>
#include <array>

#include "model/engine/forecasting/refinement/quantiles.h"
#include "model/engine/network/activation.h"
#include "model/math/lanes.h"

namespace aaren::engine {
namespace {

void Multiply(const PackedMatrix& matrix, FloatRows& x, size_t rows, FloatRows& out) {
  Multiply(matrix, x[0], x.stride(), rows, out[0], out.stride());
}

// tile.x += tile.narrow
void AddNarrow(Tile& tile) {
  for (size_t t = 0; t < tile.size; ++t) {
    float* x = tile.x[t];
    const float* y = tile.narrow[t];
    for (size_t i = 0; i < tile.x.stride(); ++i) x[i] += y[i];
  }
}

void Normalize(const float* gain, const package::ForecasterConfig& config, Tile& tile) {
  const size_t width = static_cast<size_t>(config.width);
  for (size_t t = 0; t < tile.size; ++t) RmsNorm(tile.x[t], gain, width, tile.x.stride(), tile.normed[t]);
}

// tile.x += mlp(in)
void AddMlp(const GatedMlp& mlp, FloatRows& in, Tile& tile) {
  Multiply(mlp.gate_up, in, tile.size, tile.wide);
  const size_t up = mlp.gate_up.offset(GatedMlp::kUp);
  for (size_t t = 0; t < tile.size; ++t) GateBySilu(tile.wide[t], tile.wide[t] + up, up, tile.hidden[t]);
  Multiply(mlp.down, tile.hidden, tile.size, tile.narrow);
  AddNarrow(tile);
}

void AddAttention(const package::ForecasterConfig& config, const BlockWeights& block, size_t layer,
                  const RowLayout& layout, Tile& tile) {
  Normalize(block.attention_norm.get(), config, tile);
  Multiply(block.score_value_gate, tile.normed, tile.size, tile.wide);
  const size_t value = block.score_value_gate.offset(BlockWeights::kValue);
  const size_t gate = block.score_value_gate.offset(BlockWeights::kGate);
  LayerFold fold(block.ageing, tile.fold);
  for (size_t t = 0; t < tile.size; ++t) {
    const TileToken& token = tile.tokens[t];
    const float* wide = tile.wide[t];
    float* attended = tile.hidden[t];
    const FoldToken brought = {.age = token.age, .scores = wide, .values = wide + value};
    const LayerState state = layout.layer(token.row, layer);
    token.folds ? fold.Fold(brought, state, attended) : fold.Peek(brought, state, attended);
    GateBySigmoid(wide + gate, attended, block.ageing.width, attended);
  }
  Multiply(block.output, tile.hidden, tile.size, tile.narrow);
  AddNarrow(tile);
}

// Of `made` tokens, `normed` and `residuals` of which have moved together: tile.narrow, the linear skip, becomes the
// mixture of it with the sources of seasons.
void MixSources(const SeasonHead& seasons, size_t made, Tile& tile) {
  Multiply(seasons.gate(), tile.normed, made, tile.logits);
  for (size_t source = 0; source < season::kSeasonSources; ++source) {
    const float* residuals = tile.residuals[0] + source * package::ForecasterConfig::kSeasonalResiduals;
    float* corrections = tile.corrections[source * Tile::kTokens];
    Multiply(seasons.correction(source), residuals, tile.residuals.stride(), made, corrections,
             tile.corrections.stride());
  }
  for (size_t row = 0; row < made; ++row) {
    std::array<const float*, season::kSeasonSources> corrections;
    for (size_t source = 0; source < season::kSeasonSources; ++source) {
      corrections[source] = tile.corrections[source * Tile::kTokens + row];
    }
    seasons.Mix(tile.logits[row], tile.standard[row], corrections, tile.narrow[row]);
  }
}

// Moves what the head reads of a token.
void MoveInput(size_t from, size_t to, bool seasons, Tile& tile) {
  if (from == to) return;
  std::copy_n(tile.input[from], tile.input.stride(), tile.input[to]);
  if (!seasons) return;
  std::copy_n(tile.standard[from], tile.standard.stride(), tile.standard[to]);
  std::copy_n(tile.residuals[from], tile.residuals.stride(), tile.residuals[to]);
}

// The head, for those tokens whose forecast is wanted or kept, which move together. What nobody wants overwrites the
// softplus that it is made of.
void WriteForecasts(const package::ForecasterConfig& config, const Weights& weights, Tile& tile) {
  size_t made = 0;
  for (size_t t = 0; t < tile.size; ++t) {
    if (!tile.tokens[t].wanted && !tile.tokens[t].probes) continue;
    RmsNorm(tile.x[t], weights.norm.get(), static_cast<size_t>(config.width), tile.x.stride(), tile.normed[made]);
    MoveInput(t, made++, config.seasons, tile);
  }
  Multiply(weights.head, tile.normed, made, tile.wide);
  Multiply(weights.skip, tile.input, made, tile.narrow);
  if (weights.seasons.has_value()) MixSources(*weights.seasons, made, tile);
  const ForecastSize size{static_cast<size_t>(config.horizon), config.quantiles.size()};
  size_t row = 0;
  for (size_t t = 0; t < tile.size; ++t) {
    TileToken& token = tile.tokens[t];
    if (!token.wanted && !token.probes) continue;
    if (!token.wanted) token.forecast = tile.hidden[row];
    Softplus(tile.wide[row], weights.head.width(), tile.hidden[row]);
    WriteQuantiles({tile.wide[row], tile.hidden[row], tile.narrow[row]}, token.scaling, size, token.forecast);
    ++row;
  }
}

}  // namespace

void Forward(const package::ForecasterConfig& config, const Weights& weights, const RowLayout& layout, Tile& tile) {
  Multiply(weights.embed, tile.input, tile.size, tile.x);
  AddMlp(weights.embed_mlp, tile.input, tile);
  for (size_t layer = 0; layer < weights.blocks.size(); ++layer) {
    const BlockWeights& block = weights.blocks[layer];
    AddAttention(config, block, layer, layout, tile);
    Normalize(block.mlp_norm.get(), config, tile);
    AddMlp(block.mlp, tile.normed, tile);
  }
  WriteForecasts(config, weights, tile);
}

}  // namespace aaren::engine
