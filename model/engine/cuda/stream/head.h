#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_HEAD_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_HEAD_H_

// The end of the streamed kernel (kernel.h), for one thread: products become quantiles in the units of the series. A
// block of a cluster has its share of the steps ahead.

#include "model/engine/cuda/stream/thread.h"
#include "model/math/scalar_operations.h"

namespace aaren::engine {

template <class Thread, class Block>
class StreamHead {
 public:
  using Ops = math::ScalarOperations;
  static constexpr int T = Thread::T, C = Thread::C;

  AAREN_KERNEL explicit StreamHead(Thread& thread)
      : my_(thread), block_(thread.block), program_(thread.program), plan_(thread.plan) {}

  // By the last threads, while the first are at the softplus already.
  AAREN_KERNEL void Softmax() const {
    for (int i = kStreamWorkers - 1 - my_.thread; i < program_.knots * T; i += kStreamWorkers) {
      const int first = plan_.logits + i / T * kParts, t = i % T;
      float power[kParts];
      AAREN_UNROLL
      for (int part = 0; part < kParts; ++part) power[part] = my_.Number(first + part, t);
      float largest = power[0];
      AAREN_UNROLL
      for (int part = 1; part < kParts; ++part) largest = Ops::Less(largest, power[part]) ? power[part] : largest;
      AAREN_UNROLL
      for (int part = 0; part < kParts; ++part) power[part] = math::scalar::ExpOf<Ops>(Ops::Sub(power[part], largest));
      const float sum = Ops::Add(Ops::Add(Ops::Add(power[0], power[1]), Ops::Add(power[2], power[3])), power[4]);
      AAREN_UNROLL
      for (int part = 0; part < kParts; ++part) my_.PutNumber(first + part, t, Ops::Div(power[part], sum));
    }
  }

  // A thread takes four numbers at a time: their chains fill each other's waits.
  AAREN_KERNEL void Softplus() const {
    const int own = program_.horizon * program_.levels / C, count = own * T, middle = program_.levels / 2;
    const int first = my_.rank * own;
    AAREN_NO_UNROLL
    for (int i = my_.thread; i < count; i += 4 * kStreamWorkers) {
      float v[4];
      AAREN_UNROLL
      for (int j = 0; j < 4; ++j) {
        const int at = i + j * kStreamWorkers;
        v[j] = at < count ? my_.Number(plan_.wide + first + at / T, at % T) : 0.0f;
      }
      AAREN_UNROLL
      for (int j = 0; j < 4; ++j) v[j] = math::scalar::SoftplusOf<Ops>(v[j]);
      AAREN_UNROLL
      for (int j = 0; j < 4; ++j) {
        const int at = i + j * kStreamWorkers, number = first + at / T;
        if (at < count && number % program_.levels != middle) my_.PutNumber(plan_.wide + number, at % T, v[j]);
      }
    }
  }

  // The median first, then outwards, so that quantiles cannot cross.
  AAREN_KERNEL void Spread() const {
    const int middle = program_.levels / 2, own = program_.horizon / C;
    for (int i = my_.thread; i < own * T; i += kStreamWorkers) {
      const int t = i % T, j = my_.rank * own + i / T, line = plan_.wide + j * program_.levels;
      if (t >= my_.Count() || my_.Token(t).forecast == kOnlyFolds) continue;
      const float skip = my_.Number(plan_.skip + j, t);
      const float median = Ops::Add(my_.Number(line + middle, t), program_.knots == 0 ? skip : MixSources(t, j, skip));
      my_.PutNumber(line + middle, t, median);
      float above = median, below = median;
      for (int away = 1; away <= middle; ++away) {
        const float up = my_.Number(line + middle + away, t), down = my_.Number(line + middle - away, t);
        above = Ops::Add(above, up);
        below = Ops::Sub(below, down);
        my_.PutNumber(line + middle + away, t, above);
        my_.PutNumber(line + middle - away, t, below);
      }
    }
  }

  AAREN_KERNEL void Write() const {
    const int numbers = program_.horizon * program_.levels, own = numbers / C;
    for (int i = my_.thread; i < my_.Count() * own; i += kStreamWorkers) {
      const int t = i / own, number = my_.rank * own + i % own;
      const DeviceToken token = my_.Token(t);
      if (token.forecast == kOnlyFolds) continue;
      float* to = my_.call.forecasts + static_cast<size_t>(token.forecast) * static_cast<size_t>(numbers) + number;
      const double standard = static_cast<double>(my_.Number(plan_.wide + number, t));
      block_.PutGlobal(to, ToForecast(Ops::Add(token.center, Ops::Mul(token.scale, standard))));
    }
  }

 private:
  // A mixture of the linear skip and four sources of seasons. Three sources are corrected.
  AAREN_KERNEL float MixSources(int t, int j, float skip) const {
    const float* standard =
        my_.call.standard +
        static_cast<size_t>(my_.tile.begin + static_cast<uint32_t>(t)) * static_cast<size_t>(program_.standard_stride) +
        j;
    float parts[kParts] = {skip};
    AAREN_UNROLL
    for (int k = 1; k < kParts; ++k) parts[k] = block_.Constant(standard + (k - 1) * program_.horizon);
    AAREN_UNROLL
    for (int k = 2; k < kParts; ++k) {
      parts[k] = Ops::Add(parts[k], my_.Number(plan_.corrections[k - 2] + j, t));
    }
    const KnotPlace place = my_.template Constant<KnotPlace>(program_.places, j);
    float mixed = 0.0f;
    AAREN_UNROLL
    for (int k = 0; k < kParts; ++k) {
      const float before = my_.Number(plan_.logits + place.before + k, t);
      const float after = my_.Number(plan_.logits + place.after + k, t);
      const float weight = Ops::Add(Ops::Mul(Ops::Sub(1.0f, place.share), before), Ops::Mul(place.share, after));
      mixed = Ops::Add(mixed, Ops::Mul(weight, parts[k]));
    }
    return mixed;
  }

  // The same bits as math::ToForecast.
  static AAREN_KERNEL float ToForecast(double number) {
    const double most = 0x1.fffffep+127;
    number = Ops::Less(number, -most) ? -most : number;
    const float value = Ops::ToFloat(Ops::Less(most, number) ? most : number);
    return Ops::Less(Ops::Abs(value), 1e-27f) ? 0.0f : value;
  }

  Thread& my_;
  Block& block_;
  const Program& program_;
  const StreamPlan& plan_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_HEAD_H_
