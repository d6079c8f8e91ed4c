#ifndef AAREN_MODEL_ENGINE_CUDA_KERNEL_H_
#define AAREN_MODEL_ENGINE_CUDA_KERNEL_H_

// The network on a device: one thread of one block of program.h's call. The kernel knows nothing of CUDA, and takes a
// block of threads as the class `Block`: a GPU's in cuda_device.cu, and an emulated one in tests/model/engine/cuda/.
// Both compile this text with the arithmetic of scalar_operations.h, and give the bits of the CPU's kernels.
//
//   Operations: the arithmetic, scalar_operations.h's
//   int thread(), threads(), block();  void Sync(): a barrier of the block
//   View<T> Shared<T>(byte offset, count), Global(pointer, count)
//   View<T>: Get(i), Put(i, value); GetMany<n>(i, array), PutMany<n>: n numbers side by side, aligned to their size or
//   to 16 bytes
//
// Every instruction ends at a barrier. Within an instruction, a number written by a thread is read by no other thread
// unless a further barrier lies between. Tokens that fill up a tile are zeros all the way, and touch nothing global.

#include "model/engine/cuda/product_kernel.h"
#include "model/engine/cuda/program.h"
#include "model/math/scalar_operations.h"

namespace aaren::engine {

template <class Block>
class Kernel {
 public:
  using Ops = typename Block::Operations;
  template <class T>
  using View = typename Block::template View<T>;

  AAREN_KERNEL Kernel(Block& block, const ForwardCall& call)
      : block_(block),
        call_(call),
        program_(call.program),
        tokens_(call.tile_tokens),
        stride_(LineStride(call.tile_tokens)),
        shares_(block.template Shared<double>(0, program_.heads * call.tile_tokens)),
        lines_(block.template Shared<float>(ShareBytes(program_, call.tile_tokens), program_.lines * stride_)),
        all_(block.Global(call.tokens, call.token_count)),
        product_(block, call, lines_) {}

  AAREN_KERNEL void Run() {
    const DeviceBlock own = block_.Global(call_.blocks, call_.block_count).Get(block_.block());
    for (uint32_t i = 0; i < own.count; ++i) RunTile(block_.Global(call_.tiles, call_.tile_count).Get(own.begin + i));
  }

 private:
  template <class T>
  AAREN_KERNEL View<const T> Image(ImageOffset offset, int64_t count) const {
    return block_.Global(reinterpret_cast<const T*>(program_.image + offset), count);
  }

  AAREN_KERNEL DeviceToken Token(int t) const { return all_.Get(tile_.begin + t); }
  AAREN_KERNEL int TileCount() const { return static_cast<int>(tile_.count); }
  AAREN_KERNEL bool Filled(int t) const { return t < TileCount(); }
  // Leads: token t is the first of its row in the tile. GoesOn: token t + 1 belongs to the row of token t.
  AAREN_KERNEL bool Leads(int t) const { return t == 0 || Token(t - 1).state != Token(t).state; }
  AAREN_KERNEL bool GoesOn(int t) const { return t + 1 < TileCount() && Token(t + 1).state == Token(t).state; }
  AAREN_KERNEL View<double> State(const DeviceToken& token, int layer) const {
    return block_.Global(token.state + layer * program_.layer_doubles, program_.layer_doubles);
  }
  AAREN_KERNEL int At(int line, int t) const { return line * stride_ + t; }

  AAREN_KERNEL void RunTile(const DeviceTile& tile) {
    tile_ = tile;
    const auto instructions = Image<Instruction>(program_.instructions, program_.count);
    for (int i = 0; i < program_.count; ++i) {
      const Instruction instruction = instructions.Get(i);
      if (instruction.kind == Instruction::kStopIfOnlyFolds && OnlyFolds()) return;
      Do(instruction);
      block_.Sync();
    }
  }

  AAREN_KERNEL void Do(const Instruction& it) {
    switch (it.kind) {
      case Instruction::kLoadInput:
        return Load(call_.inputs, program_.input_stride, program_.input_width, it.to);
      case Instruction::kLoadResiduals:
        return Load(call_.residuals, program_.residual_stride, program_.residual_width, it.to);
      case Instruction::kMultiply:
        return product_.Multiply(it);
      case Instruction::kNormalize:
        return Normalize(it);
      case Instruction::kWeigh:
        return Weigh(it);
      case Instruction::kTurn:
        return Turn(it);
      case Instruction::kStopIfOnlyFolds:
        return;
      case Instruction::kSoftplus:
        return Softplus(it);
      case Instruction::kSoftmax:
        return Softmax(it);
      case Instruction::kSpread:
        return Spread(it);
      case Instruction::kWrite:
        return Write(it);
    }
  }

  AAREN_KERNEL bool OnlyFolds() const {
    for (int t = 0; t < TileCount(); ++t) {
      if (Token(t).forecast != kOnlyFolds) return false;
    }
    return true;
  }

  AAREN_KERNEL void Load(const float* from, int from_stride, int width, int to) {
    const auto numbers = block_.Global(from, static_cast<int64_t>(call_.token_count) * from_stride);
    for (int i = block_.thread(); i < tokens_ * width; i += block_.threads()) {
      const int t = i / width, k = i % width;
      lines_.Put(At(to + k, t),
                 Filled(t) ? numbers.Get(static_cast<int64_t>(tile_.begin + t) * from_stride + k) : 0.0f);
    }
  }

  // The sum of squares in 16 partials, joined in the one fixed tree.
  AAREN_KERNEL void Normalize(const Instruction& it) {
    constexpr int kPartials = 16;
    for (int i = block_.thread(); i < kPartials * tokens_; i += block_.threads()) {
      const int t = i % tokens_, partial = i / tokens_;
      float sum = 0.0f;
      for (int k = partial; k < it.depth; k += kPartials) {
        const float x = lines_.Get(At(it.from + k, t));
        sum = Ops::Fma(x, x, sum);
      }
      lines_.Put(At(program_.partials + partial, t), sum);
    }
    block_.Sync();
    for (int t = block_.thread(); t < tokens_; t += block_.threads()) {
      const float mean = Ops::Div(JoinPartials(t), static_cast<float>(it.width));
      lines_.Put(At(program_.partials + kPartials, t), Ops::Div(1.0f, Ops::Sqrt(Ops::Add(mean, 1e-6f))));
    }
    block_.Sync();
    const auto gain = Image<float>(it.weights, it.depth);
    for (int i = block_.thread(); i < it.depth * tokens_; i += block_.threads()) {
      const int t = i % tokens_, k = i / tokens_;
      const float scaled = Ops::Mul(lines_.Get(At(it.from + k, t)), lines_.Get(At(program_.partials + kPartials, t)));
      lines_.Put(At(it.to + k, t), Ops::Mul(scaled, gain.Get(k)));
    }
  }

  AAREN_KERNEL float JoinPartials(int t) const {
    const auto four = [&](int i) {
      const auto p = [&](int j) { return lines_.Get(At(program_.partials + j, t)); };
      return Ops::Add(Ops::Add(p(i), p(i + 8)), Ops::Add(p(i + 4), p(i + 12)));
    };
    const float even = Ops::Add(four(0), four(2)), odd = Ops::Add(four(1), four(3));
    return Ops::Add(even, odd);
  }

  // Exp is zero from -200 on; the empty state's -inf and any other exponent that a float cannot hold come to the same.
  static AAREN_KERNEL float Power(double difference) {
    const double least = -200.0;
    return math::scalar::ExpOf<Ops>(Ops::ToFloat(Ops::Less(difference, least) ? least : difference));
  }

  // A thread takes a head of a row through the row's tokens.
  AAREN_KERNEL void Weigh(const Instruction& it) {
    for (int i = block_.thread(); i < TileCount() * program_.heads; i += block_.threads()) {
      if (Leads(i / program_.heads)) WeighRow(it, i / program_.heads, i % program_.heads);
    }
  }

  AAREN_KERNEL void WeighRow(const Instruction& it, int t, int head) {
    const View<double> state = State(Token(t), it.layer);
    const double decay = Image<double>(it.decay, program_.heads).Get(head);
    const int c = program_.value_width + head, m = c + program_.heads;
    double weight = state.Get(c), peak = state.Get(m);
    bool folded = false;
    for (bool more = true; more; ++t) {
      const DeviceToken token = Token(t);
      const double score = static_cast<double>(lines_.Get(At(it.from + head, t)));
      const double aged = Ops::Sub(peak, Ops::Mul(decay, static_cast<double>(token.age)));
      const double top = Ops::Less(aged, score) ? score : aged;
      const double alpha = Power(Ops::Sub(aged, top)), beta = Power(Ops::Sub(score, top));
      const double sum = Ops::Add(Ops::Mul(alpha, weight), beta);
      shares_.Put(t * program_.heads + head, Ops::Div(beta, sum));
      if (token.folds) weight = sum, peak = top, folded = true;
      more = GoesOn(t);
    }
    if (!folded) return;
    state.Put(c, weight);
    state.Put(m, peak);
  }

  // A thread takes a pair of a row's values through the row's tokens.
  AAREN_KERNEL void Turn(const Instruction& it) {
    const int pairs = program_.value_width / 2;
    for (int i = block_.thread(); i < tokens_ * pairs; i += block_.threads()) {
      const int t = i / pairs, pair = i % pairs;
      if (!Filled(t)) {
        for (int j = 0; j < 2; ++j) lines_.Put(At(it.to + 2 * pair + j, t), 0.0f);
      } else if (Leads(t)) {
        TurnRow(it, t, pair);
      }
    }
  }

  // o' = R o + p (v - R o), with R the rotation of the pair.
  AAREN_KERNEL void TurnRow(const Instruction& it, int t, int pair) {
    const View<double> state = State(Token(t), it.layer);
    const int i = 2 * pair;
    double o[2] = {state.Get(i), state.Get(i + 1)};
    bool folded = false;
    for (bool more = true; more; ++t) {
      const DeviceToken token = Token(t);
      const int64_t turn = static_cast<int64_t>(token.age - 1) * (program_.value_width / 2) + pair;
      const double cosine = Image<double>(it.cosine, turn + 1).Get(turn);
      const double sine = Image<double>(it.sine, turn + 1).Get(turn);
      const double x = Ops::Add(Ops::Mul(cosine, o[0]), Ops::Mul(sine, o[1]));
      const double y = Ops::Sub(Ops::Mul(cosine, o[1]), Ops::Mul(sine, o[0]));
      const double after[2] = {Follow(it, t, i, x), Follow(it, t, i + 1, y)};
      for (int j = 0; j < 2; ++j) {
        const float gate = math::scalar::SigmoidOf<Ops>(lines_.Get(At(it.gate + i + j, t)));
        lines_.Put(At(it.to + i + j, t), Ops::Mul(Ops::Mul(2.0f, gate), Ops::ToFloat(after[j])));
        if (token.folds) o[j] = after[j], folded = true;
      }
      more = GoesOn(t);
    }
    if (!folded) return;
    for (int j = 0; j < 2; ++j) state.Put(i + j, o[j]);
  }

  // Value i moves the turned o by its head's share. Padding belongs to no head.
  AAREN_KERNEL double Follow(const Instruction& it, int t, int i, double turned) const {
    const int head = i / program_.head_width;
    const double share = head < program_.heads ? shares_.Get(t * program_.heads + head) : 0.0;
    const double value = static_cast<double>(lines_.Get(At(it.from + i, t)));
    return Ops::Add(turned, Ops::Mul(share, Ops::Sub(value, turned)));
  }

  AAREN_KERNEL void Softplus(const Instruction& it) {
    const int numbers = program_.horizon * program_.levels;
    for (int i = block_.thread(); i < numbers * tokens_; i += block_.threads()) {
      const int number = i / tokens_, at = At(it.to + number, i % tokens_);
      if (number % program_.levels == program_.levels / 2) continue;
      lines_.Put(at, math::scalar::SoftplusOf<Ops>(lines_.Get(at)));
    }
  }

  AAREN_KERNEL void Softmax(const Instruction& it) {
    for (int i = block_.thread(); i < program_.knots * tokens_; i += block_.threads()) {
      const int first = it.to + i / tokens_ * kParts, t = i % tokens_;
      float power[kParts];
      for (int part = 0; part < kParts; ++part) power[part] = lines_.Get(At(first + part, t));
      float largest = power[0];
      for (int part = 1; part < kParts; ++part) largest = Ops::Less(largest, power[part]) ? power[part] : largest;
      for (int part = 0; part < kParts; ++part) power[part] = math::scalar::ExpOf<Ops>(Ops::Sub(power[part], largest));
      const float sum = Ops::Add(Ops::Add(Ops::Add(power[0], power[1]), Ops::Add(power[2], power[3])), power[4]);
      for (int part = 0; part < kParts; ++part) lines_.Put(At(first + part, t), Ops::Div(power[part], sum));
    }
  }

  // A thread makes a token's quantiles of a step ahead: the median first, then outwards, so that they cannot cross.
  AAREN_KERNEL void Spread(const Instruction& it) {
    const int middle = program_.levels / 2;
    for (int i = block_.thread(); i < program_.horizon * tokens_; i += block_.threads()) {
      const int t = i % tokens_, j = i / tokens_, line = it.to + j * program_.levels;
      if (!Filled(t) || Token(t).forecast == kOnlyFolds) continue;
      const float skip = lines_.Get(At(it.from + j, t));
      const float median =
          Ops::Add(lines_.Get(At(line + middle, t)), program_.knots == 0 ? skip : MixSources(t, j, skip));
      lines_.Put(At(line + middle, t), median);
      float above = median, below = median;
      for (int away = 1; away <= middle; ++away) {
        const int up = At(line + middle + away, t), down = At(line + middle - away, t);
        above = Ops::Add(above, lines_.Get(up));
        below = Ops::Sub(below, lines_.Get(down));
        lines_.Put(up, above);
        lines_.Put(down, below);
      }
    }
  }

  // The mixture of the linear skip and the four sources of seasons, three sources being corrected.
  AAREN_KERNEL float MixSources(int t, int j, float skip) const {
    const auto standard =
        block_.Global(call_.standard, static_cast<int64_t>(call_.token_count) * program_.standard_stride);
    const int64_t sources = static_cast<int64_t>(tile_.begin + t) * program_.standard_stride + j;
    float parts[kParts] = {skip};
    for (int k = 1; k < kParts; ++k) {
      parts[k] = standard.Get(sources + (k - 1) * program_.horizon);
      if (k == 1) continue;
      const float correction = lines_.Get(At(program_.corrections + (k - 2) * program_.correction_lines + j, t));
      parts[k] = Ops::Add(parts[k], correction);
    }
    const KnotPlace place = Image<KnotPlace>(program_.places, program_.horizon).Get(j);
    float mixed = 0.0f;
    for (int k = 0; k < kParts; ++k) {
      const float before = lines_.Get(At(program_.logits + place.before + k, t));
      const float after = lines_.Get(At(program_.logits + place.after + k, t));
      const float weight = Ops::Add(Ops::Mul(Ops::Sub(1.0f, place.share), before), Ops::Mul(place.share, after));
      mixed = Ops::Add(mixed, Ops::Mul(weight, parts[k]));
    }
    return mixed;
  }

  AAREN_KERNEL void Write(const Instruction& it) {
    const int numbers = program_.horizon * program_.levels;
    const auto forecasts = block_.Global(call_.forecasts, static_cast<int64_t>(call_.forecast_count) * numbers);
    for (int i = block_.thread(); i < TileCount() * numbers; i += block_.threads()) {
      const int t = i / numbers, number = i % numbers;
      const DeviceToken token = Token(t);
      if (token.forecast == kOnlyFolds) continue;
      const double standard = static_cast<double>(lines_.Get(At(it.from + number, t)));
      forecasts.Put(static_cast<int64_t>(token.forecast) * numbers + number,
                    ToForecast(Ops::Add(token.center, Ops::Mul(token.scale, standard))));
    }
  }

  // The same bits as math::ToForecast.
  static AAREN_KERNEL float ToForecast(double number) {
    const double most = 0x1.fffffep+127;
    number = Ops::Less(number, -most) ? -most : number;
    const float value = Ops::ToFloat(Ops::Less(most, number) ? most : number);
    return Ops::Less(Ops::Abs(value), 1e-27f) ? 0.0f : value;
  }

  Block& block_;
  const ForwardCall& call_;
  const Program& program_;
  const int tokens_;  // tokens of a full tile
  const int stride_;
  const View<double> shares_;
  const View<float> lines_;
  const View<const DeviceToken> all_;  // tokens of the call
  ProductKernel<Block> product_;
  DeviceTile tile_ = {};
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_KERNEL_H_
