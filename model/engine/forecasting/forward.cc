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
void AddNarrow(size_t rows, Tile& tile) {
  for (size_t t = 0; t < rows; ++t) {
    float* x = tile.x[t];
    const float* y = tile.narrow[t];
    for (size_t i = 0; i < tile.x.stride(); ++i) x[i] += y[i];
  }
}

void Normalize(const float* gain, const package::ForecasterConfig& config, size_t rows, Tile& tile) {
  const size_t width = static_cast<size_t>(config.width);
  for (size_t t = 0; t < rows; ++t) RmsNorm(tile.x[t], gain, width, tile.x.stride(), tile.normed[t]);
}

// tile.x += mlp(in)
void AddMlp(const GatedMlp& mlp, FloatRows& in, size_t rows, Tile& tile) {
  Multiply(mlp.gate_up, in, rows, tile.wide);
  const size_t up = mlp.gate_up.offset(GatedMlp::kUp);
  for (size_t t = 0; t < rows; ++t) GateBySilu(tile.wide[t], tile.wide[t] + up, up, tile.hidden[t]);
  Multiply(mlp.down, tile.hidden, rows, tile.narrow);
  AddNarrow(rows, tile);
}

// Takes every token into the layer's attention; tile.hidden is what it reads there.
void Attend(const package::ForecasterConfig& config, const BlockWeights& block, size_t layer, const RowLayout& layout,
            Tile& tile) {
  Normalize(block.attention_norm.get(), config, tile.size, tile);
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
}

// What is left of a block after its attention.
void AddBlock(const package::ForecasterConfig& config, const BlockWeights& block, size_t rows, Tile& tile) {
  Multiply(block.output, tile.hidden, rows, tile.narrow);
  AddNarrow(rows, tile);
  Normalize(block.mlp_norm.get(), config, rows, tile);
  AddMlp(block.mlp, tile.normed, rows, tile);
}

void MoveRow(size_t from, size_t to, FloatRows& rows) { std::copy_n(rows[from], rows.stride(), rows[to]); }

// Moves together all that is still read of the tokens whose forecast is wanted or kept, and returns their number. One
// that only folds has done so in every layer, and ends here.
size_t KeepForecasting(bool seasons, Tile& tile) {
  size_t made = 0;
  for (size_t t = 0; t < tile.size; ++t) {
    if (!tile.tokens[t].wanted && !tile.tokens[t].probes) continue;
    const size_t to = made++;
    if (t == to) continue;
    for (FloatRows* rows : {&tile.x, &tile.hidden, &tile.input}) MoveRow(t, to, *rows);
    if (!seasons) continue;
    for (FloatRows* rows : {&tile.standard, &tile.residuals}) MoveRow(t, to, *rows);
  }
  return made;
}

// Of `made` tokens: tile.narrow, the linear skip, becomes the
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

// The head, for the `made` tokens whose forecast is wanted or kept. What nobody wants overwrites the softplus that it is
// made of.
void WriteForecasts(const package::ForecasterConfig& config, const Weights& weights, size_t made, Tile& tile) {
  Normalize(weights.norm.get(), config, made, tile);
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
  AddMlp(weights.embed_mlp, tile.input, tile.size, tile);
  size_t rows = tile.size;
  for (size_t layer = 0; layer < weights.blocks.size(); ++layer) {
    const BlockWeights& block = weights.blocks[layer];
    Attend(config, block, layer, layout, tile);
    if (layer + 1 == weights.blocks.size()) rows = KeepForecasting(config.seasons, tile);
    AddBlock(config, block, rows, tile);
  }
  WriteForecasts(config, weights, rows, tile);
}

}  // namespace aaren::engine
