#ifndef AAREN_MODEL_ENGINE_NETWORK_LAYER_BOUND_H_
#define AAREN_MODEL_ENGINE_NETWORK_LAYER_BOUND_H_

// LayerBound is what one layer's attention can reach, whatever its session has been sent. Rows that come from outside
// are held against it, so that none of them makes a forecast that is not a number.
//
// The layer reads z = g u, where RMSNorm makes u = x / sqrt(mean of x^2 + 1e-6) of any x. So |u|^2 <= d, the width, and
// by Cauchy and Schwarz a number w z + b that the layer computes is at most sqrt(d) |w g| + |b|. In particular
//   the score of head h:   |s| <= sqrt(d) |r_h g|, and m, the largest score less its age, was such a score when it was
//                          stored: each fold makes m at least the score of its own token, and ageing only lowers it;
//   value j of a head:     |v_j| <= B_j = sqrt(d) |W_j g| + |b_j|. The state o = a / c is turned in pairs, which keeps
//                          a pair's length, and moved towards v by a share p of [0, 1], which leaves it at most the
//                          longer of the two: the pair of j and k is never longer than sqrt(B_j^2 + B_k^2).
// Rounding: a product of depth d has a relative error of (d / 32 + 128) 2^-24 of the sum of its terms' magnitudes,
// which has the same bound. RMSNorm has one of (d / 16 + 9) 2^-24. At the largest width, 4096, both make 5e-5. A fold
// in double adds 2^-50 at most, which a trillion of folds do not make 1e-3. kRounding allows for that much.

#include <cstddef>
#include <vector>

#include "model/package/config.h"
#include "model/package/package.h"

namespace aaren::engine {

struct LayerBound {
  static constexpr double kRounding = 1e-3;

  // norm: [d], the gain g; score: [H, d], r; value: [V, d] and bias: [V], W and b.
  LayerBound(const package::ForecasterConfig& config, const package::Tensor& norm, const package::Tensor& score,
             const package::Tensor& value, const package::Tensor& bias);

  std::vector<double> peak;    // of |m|: [H]
  std::vector<double> output;  // of the length of each pair of o: [V / 2, padded to kLanes / 2]; 0 in the padding
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_LAYER_BOUND_H_
