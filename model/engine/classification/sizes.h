#ifndef AAREN_MODEL_ENGINE_CLASSIFICATION_SIZES_H_
#define AAREN_MODEL_ENGINE_CLASSIFICATION_SIZES_H_

// The sizes shared by all classifiers, as in the paper's experiments (model/nn/encoder/classifier.h).
// Channels, steps and classes differ between models (model/package/classifier_config.h).

#include <cstddef>

namespace aaren::classification {

inline constexpr size_t kWidth = 128, kLayers = 3, kHeads = 8, kHidden = 256;
inline constexpr size_t kHeadWidth = kWidth / kHeads;
inline constexpr size_t kWindow = 3;  // steps in the window of a token, the newest last
inline constexpr double kEpsilon = 1e-5;

// Standardised values are clamped to this magnitude, so that no product of the network overflows.
inline constexpr float kMostDeviations = 1e4f;

}  // namespace aaren::classification

#endif  // AAREN_MODEL_ENGINE_CLASSIFICATION_SIZES_H_
