#ifndef AAREN_MODEL_ENGINE_NETWORK_SPLIT_PRODUCT_H_
#define AAREN_MODEL_ENGINE_NETWORK_SPLIT_PRODUCT_H_

// The fast matrix product: out = x W^T + b of bfloat16 factors, summed in float (model/README.md, section 14). The same
// bits for any number of rows, from matrix registers (AMX) and from vectors of any width alike. Where the CPU has AMX
// it is several times as fast as the exact one, elsewhere half as fast: sessions of the tier go on there all the same.

#include "model/engine/network/packed_matrix.h"
#include "model/engine/network/split_rows.h"

namespace aaren::engine {

// out: [x.rows(), matrix.width()], aligned to 64, rows out_stride apart (a multiple of kLanes). The outputs' padding is
// set to zero. REQUIRES: matrix.halved(), and x has its depth.
void MultiplySplit(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride);

// The two that it chooses from.
void MultiplySplitByVectors(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride);
void MultiplySplitByAmx(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_SPLIT_PRODUCT_H_
