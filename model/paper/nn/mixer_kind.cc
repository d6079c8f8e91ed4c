#include "model/paper/nn/mixer_kind.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/attention/argument.h"
#include "model/nn/mixer/aaren.h"
#include "model/paper/nn/linear_mixer.h"
#include "model/paper/nn/recomputed_mixer.h"
#include "model/paper/nn/softmax_mixer.h"

namespace aaren::nn {

absl::string_view MixerName(MixerKind kind) {
  switch (kind) {
    case MixerKind::kAaren:
      return "aaren";
    case MixerKind::kSoftmax:
      return "softmax";
    case MixerKind::kLinear:
      return "linear";
    case MixerKind::kRecomputed:
      return "recomputed";
  }
  return "unknown";
}

absl::StatusOr<Mixer> MakeMixer(const MixerOptions& options) {
  if (absl::Status status = attention::RequireHeadsDivide("width", options.width(), options.heads()); !status.ok())
    return status;
  switch (options.kind()) {
    case MixerKind::kAaren:
      return std::make_shared<AarenImpl>(AarenOptions(options.width(), options.heads()));
    case MixerKind::kSoftmax:
      return std::make_shared<SoftmaxMixerImpl>(options);
    case MixerKind::kLinear:
      return std::make_shared<LinearMixerImpl>(options);
    case MixerKind::kRecomputed:
      return std::make_shared<RecomputedMixerImpl>(options);
  }
  // A kind outside the enumeration comes from a caller's cast, and is the caller's error.
  return absl::InvalidArgumentError(absl::StrCat("kind is ", static_cast<int>(options.kind()), "; 0 .. 3 is needed"));
}

}  // namespace aaren::nn
