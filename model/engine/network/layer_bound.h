#ifndef AAREN_MODEL_ENGINE_NETWORK_LAYER_BOUND_H_
#define AAREN_MODEL_ENGINE_NETWORK_LAYER_BOUND_H_

// LayerBound bounds the state that one layer's attention can reach, whatever values its session has received. Rows from
// outside are checked against the bound, so that no row makes a forecast that is not a number.
//
// The layer reads z = g u, where RMSNorm computes u = x / sqrt(mean of x^2 + 1e-6) from any x. Hence |u|^2 <= d, the
// width. By Cauchy and Schwarz, a number w z + b that the layer computes is at most sqrt(d) |w g| + |b|. In particular
//   the score of head h:   |s| <= sqrt(d) |r_h g|. The peak m, the largest score less its age, obeys the bound when
//                          stored: each fold makes m at least the score of the fold's token, and ageing only lowers m;
//   value j of a head:     |v_j| <= B_j = sqrt(d) |W_j g| + |b_j|. The state o = a / c is turned in pairs, which keeps
//                          a pair's length. A fold then moves the pair towards v by a share p in [0, 1], so the pair
//                          is at most as long as the longer of both. So the pair of j and k is at most
//                          sqrt(B_j^2 + B_k^2) long.
// Rounding: a product of depth d has a relative error of (d / 32 + 128) 2^-24 of the sum of its terms' magnitudes; the
// bound holds for that sum, too. RMSNorm has a relative error of (d / 16 + 9) 2^-24. At the largest width, 4096, both
// together make 5e-5. A fold in double adds 2^-50 at most, which reaches less than 1e-3 after a trillion folds.
// kRounding allows for that much.

#include <cstddef>
#include <vector>

#include "model/package/config.h"
#include "model/package/package.h"

namespace aaren::engine {

struct LayerBound {
  static constexpr double kRounding = 1e-3;

  // norm: [d], the gain g. score: [H, d], the r_h. value: [V, d] and bias: [V], W and b.
  LayerBound(const package::ForecasterConfig& config, const package::Tensor& norm, const package::Tensor& score,
             const package::Tensor& value, const package::Tensor& bias);

  std::vector<double> peak;    // bounds |m|: [H]
  std::vector<double> output;  // bounds the length of each pair of o: [V / 2, padded to kLanes / 2]; 0 in the padding
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_LAYER_BOUND_H_
