#ifndef AAREN_MODEL_ENGINE_NETWORK_PRODUCT_H_
#define AAREN_MODEL_ENGINE_NETWORK_PRODUCT_H_

// The exact matrix product out = x W^T + b, with the same bits for any number of rows and any vector width. A kernel
// walks along K in a few panels at once and reads no weight without using it. Threading: a free function.

#include <cstddef>

#include "model/engine/network/packed_matrix.h"

namespace aaren::engine {

// x: [rows, depth], with rows x_stride apart. out: [rows, matrix.width()], aligned to 64, with rows out_stride apart (a
// multiple of kLanes); the padding of the outputs becomes zero. K is cut into blocks of 128. Each block is one chain of
// FMAs from zero in the order of k. The sums of the blocks are added in order, and the bias last.
void Multiply(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out, size_t out_stride);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_PRODUCT_H_
