#ifndef AAREN_MODEL_PAPER_NN_MIXER_KIND_H_
#define AAREN_MODEL_PAPER_NN_MIXER_KIND_H_

// The four mixers of the comparisons, behind one interface, so that a comparison changes one word:
//
//   kAaren       attention with a learned constant query; state (m, c, a), constant         nn/mixer/aaren.h (§3.3)
//   kSoftmax     causal softmax attention; the state is a cache of keys and values, growing  softmax_mixer.h (§4.5)
//   kLinear      linear attention, phi(x) = elu(x) + 1; state (S, Z), constant               linear_mixer.h
//   kRecomputed  kSoftmax without a cache: reads all inputs again for every token           recomputed_mixer.h

#include <torch/arg.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/nn/mixer/mixer.h"

namespace aaren::nn {

enum class MixerKind { kAaren, kSoftmax, kLinear, kRecomputed };

// "aaren", "softmax", "linear", "recomputed".
absl::string_view MixerName(MixerKind kind);

/// Options for every mixer.
struct MixerOptions {
  MixerOptions(MixerKind kind, int64_t width, int64_t heads) : kind_(kind), width_(width), heads_(heads) {}
  TORCH_ARG(MixerKind, kind);
  /// d, the width of tokens.
  TORCH_ARG(int64_t, width);
  /// H; divides width.
  TORCH_ARG(int64_t, heads);
};

/// Makes a mixer. InvalidArgument if heads do not divide the width.
absl::StatusOr<Mixer> MakeMixer(const MixerOptions& options);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_MIXER_KIND_H_
