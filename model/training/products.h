#ifndef AAREN_MODEL_TRAINING_PRODUCTS_H_
#define AAREN_MODEL_TRAINING_PRODUCTS_H_

// How a CPU multiplies matrices in training: in float32, or with factors rounded to bfloat16 and sums in float32. The
// second is faster where the CPU has instructions for it (AMX or AVX512-BF16). It holds for the whole process.

namespace aaren::training {

// False, and nothing changes, if the CPU has no such instructions: without them it would be slower.
bool UseBFloat16Products();

bool BFloat16Products();  // whether they are used

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PRODUCTS_H_
