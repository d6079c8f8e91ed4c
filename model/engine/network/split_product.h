#ifndef AAREN_MODEL_ENGINE_NETWORK_SPLIT_PRODUCT_H_
#define AAREN_MODEL_ENGINE_NETWORK_SPLIT_PRODUCT_H_

// The fast matrix product out = x W^T + b, of bfloat16 factors, summed in float (model/README.md, section 14). Matrix
// registers (AMX) and vectors of any width give the same bits, for any number of rows. With AMX the fast product is
// several times as fast as the exact product. Without AMX, sessions of the fast tier continue at half the exact speed.

#include "model/engine/network/packed_matrix.h"
#include "model/engine/network/split_rows.h"

namespace aaren::engine {

// out: [x.rows(), matrix.width()], aligned to 64, with rows out_stride apart (a multiple of kLanes); the padding of the
// outputs becomes zero. REQUIRES: matrix.halved(), and x has the depth of the matrix.
void MultiplySplit(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride);

// The two implementations from which MultiplySplit chooses.
void MultiplySplitByVectors(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride);
void MultiplySplitByAmx(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_SPLIT_PRODUCT_H_
