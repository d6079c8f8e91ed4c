#ifndef AAREN_MODEL_ENGINE_NETWORK_PRODUCT_H_
#define AAREN_MODEL_ENGINE_NETWORK_PRODUCT_H_

// The exact matrix product: out = x W^T + b, the same bits for any number of rows and any vector width. A kernel walks
// K with a few panels in step and never reads a weight it does not use. Threading: a free function.

#include <cstddef>

#include "model/engine/network/packed_matrix.h"

namespace aaren::engine {

// x: [rows, depth], rows x_stride apart. out: [rows, matrix.width()], aligned to 64, rows out_stride apart (a multiple
// of kLanes). The outputs' padding is set to zero. K is cut into blocks of 128: each is one FMA chain from zero in the
// order of k, the blocks' sums are added in order, the bias last.
void Multiply(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out, size_t out_stride);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_PRODUCT_H_
