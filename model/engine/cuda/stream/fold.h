#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_FOLD_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_FOLD_H_

// The attention of the streamed kernel (kernel.h), for one thread: scores become shares, rows go on.
//
// A block folds its share of the value pairs. In a small cluster a thread first weighs a head, as the plain kernel
// does. In a large cluster each thread of a pair weighs the head for itself, and loads the row's numbers before the
// product of scores and values: the second cache answers while that product runs.

#include "model/engine/cuda/stream/thread.h"
#include "model/math/scalar_operations.h"

namespace aaren::engine {

template <class Thread, class Block>
class StreamFold {
 public:
  using Ops = math::ScalarOperations;
  static constexpr int T = Thread::T, C = Thread::C;
  static constexpr bool kMerged = C >= 4;

  AAREN_KERNEL explicit StreamFold(Thread& thread)
      : my_(thread), block_(thread.block), program_(thread.program), pairs_(thread.program.value_width / 2 / C) {}

  // A thread takes a head of a row through the row's tokens.
  AAREN_KERNEL void Weigh(const StreamStep& s) {
    const int heads = program_.heads;
    for (int i = my_.thread; i < my_.Count() * heads; i += kStreamWorkers) {
      if (my_.Leads(i / heads)) WeighRow(s, i / heads, i % heads);
    }
  }

  // Loads the row's numbers of this thread's pair, for a Turn to come.
  AAREN_KERNEL void Fetch(const StreamStep& s) {
    const int t = my_.thread / pairs_, pair = my_.rank * pairs_ + my_.thread % pairs_;
    if (t >= my_.Count() || !my_.Leads(t)) return;
    const DeviceToken token = my_.Token(t);
    const int i = 2 * pair, head = i / program_.head_width;
    const double* state = token.state + s.layer * program_.layer_doubles;
    far_.o[0] = block_.Fresh(state + i);
    far_.o[1] = block_.Fresh(state + i + 1);
    far_.head = FreshHead(s, state, head);
    far_.turn = TurnOf(s, token, pair);
  }

  AAREN_KERNEL void Turn(const StreamStep& s) {
    for (int i = my_.thread; i < T * pairs_; i += kStreamWorkers) {
      const int t = i / pairs_, pair = my_.rank * pairs_ + i % pairs_;
      if (t >= my_.Count()) {
        for (int j = 0; j < 2; ++j) Send(s.to + 2 * pair + j, t, 0.0f);
      } else if (my_.Leads(t)) {
        TurnRow(s, t, pair);
      }
    }
  }

  // Writes weights and peaks, now that all threads and blocks have read the old ones.
  AAREN_KERNEL void Flush() {
    if (pending_ == nullptr) return;
    block_.PutGlobal(pending_, pending_head_.weight);
    block_.PutGlobal(pending_ + program_.heads, pending_head_.peak);
    pending_ = nullptr;
  }

 private:
  struct Head {
    double weight, peak, decay;
  };
  struct Rotation {
    double cosine, sine;
  };
  struct Far {
    double o[2];
    Head head;
    Rotation turn;
  };

  AAREN_KERNEL Head FreshHead(const StreamStep& s, const double* state, int head) const {
    const double* at = state + program_.value_width + head;
    return {block_.Fresh(at), block_.Fresh(at + program_.heads), my_.template Constant<double>(s.decay, head)};
  }

  AAREN_KERNEL Rotation TurnOf(const StreamStep& s, const DeviceToken& token, int pair) const {
    const int at = (token.age - 1) * (program_.value_width / 2) + pair;
    return {my_.template Constant<double>(s.cosine, at), my_.template Constant<double>(s.sine, at)};
  }

  // The same bits as the plain kernel's Power.
  static AAREN_KERNEL float Power(double difference) {
    const double least = -200.0;
    return math::scalar::ExpOf<Ops>(Ops::ToFloat(Ops::Less(difference, least) ? least : difference));
  }

  // The token's share of its head, which goes on where the token folds.
  AAREN_KERNEL double ShareOf(const DeviceToken& token, double score, Head& head) const {
    const double aged = Ops::Sub(head.peak, Ops::Mul(head.decay, static_cast<double>(token.age)));
    const double top = Ops::Less(aged, score) ? score : aged;
    const double alpha = Power(Ops::Sub(aged, top)), beta = Power(Ops::Sub(score, top));
    const double sum = Ops::Add(Ops::Mul(alpha, head.weight), beta);
    if (token.folds) head.weight = sum, head.peak = top;
    return Ops::Div(beta, sum);
  }

  AAREN_KERNEL double Score(int head, int t) const { return static_cast<double>(my_.Number(my_.plan.wide + head, t)); }

  AAREN_KERNEL void WeighRow(const StreamStep& s, int t, int at) {
    double* state = my_.Token(t).state + s.layer * program_.layer_doubles;
    Head head = FreshHead(s, state, at);
    bool folded = false;
    for (bool more = true; more; ++t) {
      const DeviceToken token = my_.Token(t);
      block_.Put(my_.shares + t * program_.heads + at, ShareOf(token, Score(at, t), head));
      folded |= token.folds != 0;
      more = my_.GoesOn(t);
    }
    if (!folded) return;
    if constexpr (C == 1) {
      block_.PutGlobal(state + program_.value_width + at, head.weight);
      block_.PutGlobal(state + program_.value_width + program_.heads + at, head.peak);
    } else if (my_.rank == 0) {
      Keep(state, at, head);
    }
  }

  AAREN_KERNEL void Keep(double* state, int at, const Head& head) {
    pending_ = state + program_.value_width + at;
    pending_head_ = head;
  }

  AAREN_KERNEL void TurnRow(const StreamStep& s, int t, int pair) {
    const int i = 2 * pair, at = i / program_.head_width;
    double* state = my_.Token(t).state + s.layer * program_.layer_doubles;
    Far far = far_;
    if constexpr (!kMerged) far.o[0] = block_.Fresh(state + i), far.o[1] = block_.Fresh(state + i + 1);
    bool folded = false;
    for (bool more = true, first = true; more; ++t, first = false) {
      const DeviceToken token = my_.Token(t);
      if (!kMerged || !first) far.turn = TurnOf(s, token, pair);
      double share = 0.0;  // the share of padding, which belongs to no head
      if constexpr (kMerged) {
        share = ShareOf(token, Score(at, t), far.head);
      } else if (at < program_.heads) {
        share = block_.Get(my_.shares + t * program_.heads + at);
      }
      FoldPair(s, t, i, share, token.folds != 0, far);
      folded |= token.folds != 0;
      more = my_.GoesOn(t);
    }
    if (!folded) return;
    block_.PutGlobal(state + i, far.o[0]);
    block_.PutGlobal(state + i + 1, far.o[1]);
    if (kMerged && i % program_.head_width == 0) Keep(state, at, far.head);
  }

  // o' = R o + p (v - R o), with R the rotation of the pair.
  AAREN_KERNEL void FoldPair(const StreamStep& s, int t, int i, double share, bool folds, Far& far) const {
    const auto [cosine, sine] = far.turn;
    const double turned[2] = {Ops::Add(Ops::Mul(cosine, far.o[0]), Ops::Mul(sine, far.o[1])),
                              Ops::Sub(Ops::Mul(cosine, far.o[1]), Ops::Mul(sine, far.o[0]))};
    AAREN_UNROLL
    for (int j = 0; j < 2; ++j) {
      const double value = static_cast<double>(my_.Number(s.from + i + j, t));
      const double after = Ops::Add(turned[j], Ops::Mul(share, Ops::Sub(value, turned[j])));
      const float gate = math::scalar::SigmoidOf<Ops>(my_.Number(s.gate + i + j, t));
      Send(s.to + i + j, t, Ops::Mul(Ops::Mul(2.0f, gate), Ops::ToFloat(after)));
      if (folds) far.o[j] = after;
    }
  }

  AAREN_KERNEL void Send(int line, int t, float number) const {
    const float one[1] = {number};
    my_.template SendAll<1>(my_.Line(line) + t, one);
  }

  Thread& my_;
  Block& block_;
  const Program& program_;
  const int pairs_;  // pairs of a block
  Far far_ = {};
  double* pending_ = nullptr;  // the place of a head's weight and peak
  Head pending_head_ = {};
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_FOLD_H_
