#include "model/engine/forecasting/forward.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/engine/forecasting/refinement/quantiles.h"
#include "model/engine/forecasting/tile.h"
#include "model/engine/forecasting/weights.h"
#include "model/engine/network/activation.h"
#include "model/engine/network/product.h"
#include "model/engine/network/split_product.h"
#include "model/math/lanes.h"

namespace aaren::engine {
namespace {

// 64 tokens read each weight once, and their activations stay in the second cache.
constexpr size_t kHostTokens = 64;

size_t Size(int size) { return static_cast<size_t>(size); }

size_t Widest(const Weights& weights) {
  const BlockWeights& block = weights.blocks[0];
  return std::max({weights.embed_mlp.gate_up.width(), block.score_value_gate.width(), block.mlp.gate_up.width(),
                   weights.head.width()});
}

// The largest number of inputs of any product.
size_t Deepest(const package::ForecasterConfig& config) {
  return Size(std::max({config.input_width(), config.width, config.embed_hidden, config.value_width, config.mlp_hidden,
                        package::ForecasterConfig::kSeasonalResiduals}));
}

void MoveRow(size_t from, size_t to, FloatRows& rows) { std::copy_n(rows[from], rows.stride(), rows[to]); }

// The parts of the model that every pass reads.
struct Model {
  Model(const package::ModelPackage& package, Tier tier)
      : tier(tier), config(package.config), layout(package.config), weights(package) {}

  Tier tier;
  package::ForecasterConfig config;
  RowLayout layout;
  Weights weights;
};

// The memory in which a tile passes through the layers.
class HostPass final : public Network::Pass {
 public:
  explicit HostPass(const Model& model);

  void Begin(Tile& tile) override;
  bool Done() override { return true; }
  absl::Status End(Tile&) override { return absl::OkStatus(); }

 private:
  void Multiply(const PackedMatrix& matrix, FloatRows& x, size_t rows, FloatRows& out);
  void Multiply(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out,
                size_t out_stride);
  void AddNarrow(size_t rows);
  void Normalize(const float* gain, size_t rows);
  void AddMlp(const GatedMlp& mlp, FloatRows& in, size_t rows);
  void Attend(const BlockWeights& block, size_t layer, const Tile& tile);
  void AddBlock(const BlockWeights& block, size_t rows);
  size_t KeepForecasting(Tile& tile);
  void MixSources(const SeasonHead& seasons, size_t made, Tile& tile);
  void WriteForecasts(size_t made, Tile& tile);

  const package::ForecasterConfig& config_;
  const RowLayout& layout_;
  const Weights& weights_;
  FloatRows x_;                     // [., d]: the residual stream
  FloatRows normed_;                // [., d]
  FloatRows wide_;                  // the products of a layer that read x
  FloatRows hidden_;                // the input of a layer's last product
  FloatRows narrow_;                // the output of a layer's last product
  FloatRows corrections_;           // [3, ., T]: corrections of a SeasonHead's sources; like logits_, only with seasons
  FloatRows logits_;                // [., knots, 5]
  std::optional<SplitRows> parts_;  // the parts of a product's inputs, in the fast tier
  FoldScratch fold_;
};

HostPass::HostPass(const Model& model)
    : config_(model.config),
      layout_(model.layout),
      weights_(model.weights),
      x_(kHostTokens, Size(config_.width)),
      normed_(kHostTokens, Size(config_.width)),
      wide_(kHostTokens, Widest(weights_)),
      hidden_(kHostTokens, std::max({Size(config_.embed_hidden), Size(config_.value_width), Size(config_.mlp_hidden),
                                     weights_.head.width()})),
      narrow_(kHostTokens, Size(std::max(config_.width, config_.horizon))),
      corrections_(config_.seasons ? season::kSeasonSources * kHostTokens : 1, Size(config_.horizon)),
      logits_(config_.seasons ? kHostTokens : 1, config_.seasons ? weights_.seasons->gate().width() : 1),
      fold_(Size(config_.heads), math::PadToLanes(Size(config_.value_width))) {
  if (model.tier == Tier::kFast) parts_.emplace(kHostTokens, Deepest(config_));
}

void HostPass::Multiply(const PackedMatrix& matrix, FloatRows& x, size_t rows, FloatRows& out) {
  Multiply(matrix, x[0], x.stride(), rows, out[0], out.stride());
}

// Multiplies in the arithmetic of the tier.
void HostPass::Multiply(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out,
                        size_t out_stride) {
  if (!parts_.has_value()) return engine::Multiply(matrix, x, x_stride, rows, out, out_stride);
  parts_->Split(x, x_stride, rows, matrix.depth());
  MultiplySplit(matrix, *parts_, out, out_stride);
}

// x += narrow
void HostPass::AddNarrow(size_t rows) { AddRows(narrow_[0], narrow_.stride(), rows, x_.stride(), x_[0], x_.stride()); }

void HostPass::Normalize(const float* gain, size_t rows) {
  for (size_t t = 0; t < rows; ++t) RmsNorm(x_[t], gain, Size(config_.width), x_.stride(), normed_[t]);
}

// x += mlp(in)
void HostPass::AddMlp(const GatedMlp& mlp, FloatRows& in, size_t rows) {
  Multiply(mlp.gate_up, in, rows, wide_);
  const size_t up = mlp.gate_up.offset(GatedMlp::kUp);
  for (size_t t = 0; t < rows; ++t) GateBySilu(wide_[t], wide_[t] + up, up, hidden_[t]);
  Multiply(mlp.down, hidden_, rows, narrow_);
  AddNarrow(rows);
}

// Takes every token into the layer's attention; hidden_ becomes the attention's gated output.
void HostPass::Attend(const BlockWeights& block, size_t layer, const Tile& tile) {
  Normalize(block.attention_norm.get(), tile.size);
  Multiply(block.score_value_gate, normed_, tile.size, wide_);
  const size_t value = block.score_value_gate.offset(BlockWeights::kValue);
  const size_t gate = block.score_value_gate.offset(BlockWeights::kGate);
  LayerFold fold(block.ageing, fold_);
  // Tokens of one session fold in the order of the tile, because each fold starts from the state that the fold before
  // left.
  for (size_t t = 0; t < tile.size; ++t) {
    const TileToken& token = tile.tokens[t];
    const float* wide = wide_[t];
    float* attended = hidden_[t];
    const FoldToken brought = {.age = token.age, .scores = wide, .values = wide + value};
    const LayerState state = layout_.layer(token.row, layer);
    token.folds ? fold.Fold(brought, state, attended) : fold.Peek(brought, state, attended);
    GateBySigmoid(wide + gate, attended, block.ageing.width, attended);
  }
}

// Completes a block after its attention.
void HostPass::AddBlock(const BlockWeights& block, size_t rows) {
  Multiply(block.output, hidden_, rows, narrow_);
  AddNarrow(rows);
  Normalize(block.mlp_norm.get(), rows);
  AddMlp(block.mlp, normed_, rows);
}

// Moves together everything that the head reads of the tokens whose forecast is wanted or kept. Returns the number of
// such tokens. A token that only folds has folded in every layer by now and is left out.
size_t HostPass::KeepForecasting(Tile& tile) {
  size_t made = 0;
  for (size_t t = 0; t < tile.size; ++t) {
    if (!tile.tokens[t].forecasts()) continue;
    const size_t to = made++;
    // Rows move forward only, and never over a row that has still to move.
    if (t == to) continue;
    for (FloatRows* rows : {&x_, &hidden_, &tile.input}) MoveRow(t, to, *rows);
    if (!config_.seasons) continue;
    for (FloatRows* rows : {&tile.standard, &tile.residuals}) MoveRow(t, to, *rows);
  }
  return made;
}

// Replaces the linear skip of `made` tokens, in narrow_, by the mixture of the skip with the sources of seasons.
void HostPass::MixSources(const SeasonHead& seasons, size_t made, Tile& tile) {
  Multiply(seasons.gate(), normed_, made, logits_);
  for (size_t source = 0; source < season::kSeasonSources; ++source) {
    const float* residuals = tile.residuals[0] + source * package::ForecasterConfig::kSeasonalResiduals;
    float* corrections = corrections_[source * kHostTokens];
    Multiply(seasons.correction(source), residuals, tile.residuals.stride(), made, corrections, corrections_.stride());
  }
  for (size_t row = 0; row < made; ++row) {
    std::array<const float*, season::kSeasonSources> corrections;
    for (size_t source = 0; source < season::kSeasonSources; ++source) {
      corrections[source] = corrections_[source * kHostTokens + row];
    }
    seasons.Mix(logits_[row], tile.standard[row], corrections, narrow_[row]);
  }
}

// Computes the head for the `made` tokens whose forecast is wanted or kept. A forecast that only a probe needs
// overwrites the softplus from which the forecast is computed.
void HostPass::WriteForecasts(size_t made, Tile& tile) {
  Normalize(weights_.norm.get(), made);
  Multiply(weights_.head, normed_, made, wide_);
  Multiply(weights_.skip, tile.input, made, narrow_);
  if (weights_.seasons.has_value()) MixSources(*weights_.seasons, made, tile);
  const ForecastSize size{Size(config_.horizon), config_.quantiles.size()};
  size_t row = 0;
  for (size_t t = 0; t < tile.size; ++t) {
    TileToken& token = tile.tokens[t];
    if (!token.forecasts()) continue;
    if (!token.wanted) token.forecast = hidden_[row];
    Softplus(wide_[row], weights_.head.width(), hidden_[row]);
    WriteQuantiles({wide_[row], hidden_[row], narrow_[row]}, token.scaling, size, token.forecast);
    ++row;
  }
}

void HostPass::Begin(Tile& tile) {
  Multiply(weights_.embed, tile.input, tile.size, x_);
  AddMlp(weights_.embed_mlp, tile.input, tile.size);
  size_t rows = tile.size;
  for (size_t layer = 0; layer < weights_.blocks.size(); ++layer) {
    const BlockWeights& block = weights_.blocks[layer];
    Attend(block, layer, tile);
    // Only the head reads the output of the last block, so a token that only folds ends after its last attention.
    if (layer + 1 == weights_.blocks.size()) rows = KeepForecasting(tile);
    AddBlock(block, rows);
  }
  WriteForecasts(rows, tile);
}

class HostNetwork final : public Network {
 public:
  HostNetwork(const package::ModelPackage& package, Tier tier) : model_(package, tier) {}

  size_t tile_tokens() const override { return kHostTokens; }
  std::unique_ptr<Pass> NewPass() const override { return std::make_unique<HostPass>(model_); }

 private:
  const Model model_;
};

}  // namespace

std::unique_ptr<Network> NewHostNetwork(const package::ModelPackage& package, Tier tier) {
  return std::make_unique<HostNetwork>(package, tier);
}

}  // namespace aaren::engine
