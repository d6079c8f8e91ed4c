#ifndef AAREN_TESTS_MODEL_DISTANCE_H_
#define AAREN_TESTS_MODEL_DISTANCE_H_

#include <torch/torch.h>

namespace aaren {

// The largest difference between two elements at one place. REQUIRES: one shape.
inline double Distance(const torch::Tensor& x, const torch::Tensor& y) { return (x - y).abs().max().item<double>(); }

}  // namespace aaren

#endif  // AAREN_TESTS_MODEL_DISTANCE_H_
