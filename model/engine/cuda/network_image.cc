#include "model/engine/cuda/network_image.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "model/engine/forecasting/weights.h"
#include "model/math/lanes.h"
#include "model/season/seasonal_input.h"
#include "model/season/sources.h"

namespace aaren::engine {
namespace {

constexpr size_t kAlignment = 64;

int32_t Whole(size_t number) { return static_cast<int32_t>(number); }
int32_t Padded(int number) { return Whole(math::PadToLanes(static_cast<size_t>(number))); }

// Where the tile's buffers begin in shared memory, in lines.
struct Lines {
  int32_t x, in, wide, hidden, partials, end;
  // The head's buffers, on the lines of a layer's `hidden`.
  int32_t logits, skip, corrections;
};

Lines LayOut(const package::ForecasterConfig& config, const Weights& weights) {
  const BlockWeights& block = weights.blocks[0];
  const auto& seasons = weights.seasons;
  const int32_t skip = Whole(weights.skip.width());
  const int32_t logits = seasons ? Whole(seasons->gate().width()) : 0;
  const int32_t corrections = seasons ? 3 * Whole(seasons->correction(0).width()) : 0;
  const int32_t residuals = Whole(season::kSeasonSources) * package::ForecasterConfig::kSeasonalResiduals;
  Lines lines;
  lines.x = 0;
  lines.in = lines.x + Padded(config.width);
  // The buffer holds a norm's output, the token's inputs and the seasons' residuals, at different times.
  lines.wide = lines.in + std::max({Padded(config.width), config.input_width(), seasons ? residuals : 0});
  lines.hidden = lines.wide + std::max(Whole(block.score_value_gate.width()), Whole(weights.head.width()));
  lines.logits = lines.hidden;
  lines.skip = lines.logits + logits;
  lines.corrections = lines.skip + skip;
  lines.partials = lines.hidden + std::max({Padded(config.embed_hidden), Padded(config.value_width),
                                            Padded(config.mlp_hidden), logits + skip + corrections});
  // The norm's 16 partial sums, and a line for the norm's factor.
  lines.end = lines.partials + Whole(math::kLanes) + 1;
  return lines;
}

// Writes the instructions in their order, and their constants.
class Writer {
 public:
  Writer(const package::ForecasterConfig& config, const Weights& weights, std::vector<std::byte>& bytes)
      : config_(config), weights_(weights), lines_(LayOut(config, weights)), bytes_(bytes) {}

  const Lines& lines() const { return lines_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }

  void Embed() {
    Add({.kind = Instruction::kLoadInput, .to = lines_.in});
    Multiply(weights_.embed, lines_.in, lines_.x, Instruction::kStore);
    Mlp(weights_.embed_mlp);
  }

  void Layer(size_t layer, bool last) {
    const BlockWeights& block = weights_.blocks[layer];
    Normalize(block.attention_norm.get());
    Multiply(block.score_value_gate, lines_.in, lines_.wide, Instruction::kStore);
    Attend(block, layer);
    // Only the head reads the last block's output, so a tile that only folds ends after the last attention.
    if (last) Add({.kind = Instruction::kStopIfOnlyFolds});
    Multiply(block.output, lines_.hidden, lines_.x, Instruction::kAdd);
    Normalize(block.mlp_norm.get());
    Mlp(block.mlp);
  }

  void Head() {
    Normalize(weights_.norm.get());
    Multiply(weights_.head, lines_.in, lines_.wide, Instruction::kStore);
    if (weights_.seasons) Multiply(weights_.seasons->gate(), lines_.in, lines_.logits, Instruction::kStore);
    // The layers have overwritten the inputs, which the skip reads.
    Add({.kind = Instruction::kLoadInput, .to = lines_.in});
    Multiply(weights_.skip, lines_.in, lines_.skip, Instruction::kStore);
    if (weights_.seasons) Correct(*weights_.seasons);
    Add({.kind = Instruction::kSoftplus, .to = lines_.wide});
    Add({.kind = Instruction::kSpread, .from = lines_.skip, .to = lines_.wide});
    Add({.kind = Instruction::kWrite, .from = lines_.wide});
  }

  template <class T>
  ImageOffset Put(const T* from, size_t count) {
    const size_t at = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
    bytes_.resize(at + count * sizeof(T));
    std::memcpy(bytes_.data() + at, from, count * sizeof(T));
    return at;
  }

 private:
  void Add(Instruction instruction) { instructions_.push_back(instruction); }

  void Attend(const BlockWeights& block, size_t layer) {
    const int32_t value = lines_.wide + Whole(block.score_value_gate.offset(BlockWeights::kValue));
    const int32_t gate = lines_.wide + Whole(block.score_value_gate.offset(BlockWeights::kGate));
    const Ageing& ageing = block.ageing;
    Add({.kind = Instruction::kWeigh,
         .from = lines_.wide,
         .layer = Whole(layer),
         .decay = Put(ageing.decay.data(), ageing.decay.size())});
    Add({.kind = Instruction::kTurn,
         .from = value,
         .to = lines_.hidden,
         .gate = gate,
         .layer = Whole(layer),
         .cosine = Put(ageing.cosine.data(), ageing.cosine.size()),
         .sine = Put(ageing.sine.data(), ageing.sine.size())});
  }

  // x += mlp(in)
  void Mlp(const GatedMlp& mlp) {
    const size_t up = mlp.gate_up.offset(GatedMlp::kUp);
    MultiplyColumns(mlp.gate_up, lines_.in, lines_.hidden, Instruction::kGate,
                    // A thread that makes outputs 2 i and 2 i + 1 has a gate and its value, and needs no other thread's
                    // number.
                    [&](size_t column) { return column % 2 * up + column / 2; });
    Multiply(mlp.down, lines_.hidden, lines_.x, Instruction::kAdd);
  }

  void Correct(const SeasonHead& seasons) {
    Add({.kind = Instruction::kSoftmax, .to = lines_.logits});
    Add({.kind = Instruction::kLoadResiduals, .to = lines_.in});
    for (size_t source = 0; source < season::kSeasonSources; ++source) {
      const PackedMatrix& correction = seasons.correction(source);
      Multiply(correction, lines_.in + Whole(source) * package::ForecasterConfig::kSeasonalResiduals,
               lines_.corrections + Whole(source * correction.width()), Instruction::kStore);
    }
  }

  void Normalize(const float* gain) {
    const int32_t padded = Padded(config_.width);
    Add({.kind = Instruction::kNormalize,
         .from = lines_.x,
         .to = lines_.in,
         .depth = padded,
         .width = config_.width,
         .weights = Put(gain, static_cast<size_t>(padded))});
  }

  void Multiply(const PackedMatrix& matrix, int32_t from, int32_t to, Instruction::Then then) {
    MultiplyColumns(matrix, from, to, then, [](size_t column) { return column; });
  }

  // Output `column` of the instruction is output of(column) of the matrix.
  template <class Of>
  void MultiplyColumns(const PackedMatrix& matrix, int32_t from, int32_t to, Instruction::Then then, const Of& of) {
    const size_t depth = matrix.depth(), width = matrix.width();
    std::vector<float> weights(depth * width), bias(width);
    for (size_t column = 0; column < width; ++column) {
      const size_t source = of(column);
      for (size_t k = 0; k < depth; ++k) weights[k * width + column] = matrix.weight(k, source);
      bias[column] = matrix.bias()[source];
    }
    Add({.kind = Instruction::kMultiply,
         .then = then,
         .from = from,
         .to = to,
         .depth = Whole(depth),
         .width = Whole(width),
         .halved = matrix.halved(),
         .weights = matrix.halved() ? PutHalves(weights) : Put(weights.data(), weights.size()),
         .bias = Put(bias.data(), bias.size())});
  }

  ImageOffset PutHalves(const std::vector<float>& weights) {
    std::vector<uint16_t> halves(weights.size());
    std::transform(weights.begin(), weights.end(), halves.begin(),
                   [](float weight) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(weight) >> 16); });
    return Put(halves.data(), halves.size());
  }

  const package::ForecasterConfig& config_;
  const Weights& weights_;
  const Lines lines_;
  std::vector<std::byte>& bytes_;
  std::vector<Instruction> instructions_;
};

void WriteSeasons(const SeasonHead& seasons, const Lines& lines, Writer& writer, Program& program) {
  program.knots = Whole(seasons.knots());
  program.residual_width = Whole(season::kSeasonSources) * package::ForecasterConfig::kSeasonalResiduals;
  program.residual_stride = Padded(program.residual_width);
  program.standard_stride = Padded(Whole(season::kSourceCount) * program.horizon);
  program.logits = lines.logits;
  program.corrections = lines.corrections;
  program.correction_lines = Whole(seasons.correction(0).width());
  std::vector<KnotPlace> places;
  for (const SeasonHead::Place& place : seasons.places()) {
    places.push_back({Whole(place.before), Whole(place.after), place.share});
  }
  program.places = writer.Put(places.data(), places.size());
}

}  // namespace

NetworkImage::NetworkImage(const package::ModelPackage& package) {
  const package::ForecasterConfig& config = package.config;
  const Weights weights(package);
  Writer writer(config, weights, bytes);
  writer.Embed();
  for (size_t layer = 0; layer < weights.blocks.size(); ++layer) {
    writer.Layer(layer, layer + 1 == weights.blocks.size());
  }
  writer.Head();
  program.lines = writer.lines().end;
  program.partials = writer.lines().partials;
  program.input_width = config.input_width();
  program.input_stride = Padded(config.input_width());
  program.heads = config.heads;
  program.head_width = config.head_width();
  program.value_width = Padded(config.value_width);
  program.layer_doubles = program.value_width + 2 * program.heads;
  program.state_doubles = program.layer_doubles * config.layers;
  program.horizon = config.horizon;
  program.levels = config.quantile_count();
  if (weights.seasons) WriteSeasons(*weights.seasons, writer.lines(), writer, program);
  program.instructions = writer.Put(writer.instructions().data(), writer.instructions().size());
  program.count = Whole(writer.instructions().size());
  program.image_bytes = bytes.size();
}

}  // namespace aaren::engine
