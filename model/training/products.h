#ifndef AAREN_MODEL_TRAINING_PRODUCTS_H_
#define AAREN_MODEL_TRAINING_PRODUCTS_H_

// How a CPU multiplies matrices in training: in float32, or with factors rounded to bfloat16 and sums in float32.
// bfloat16 is faster on a CPU with instructions for bfloat16 (AMX or AVX512-BF16). The choice applies to the whole
// process.

namespace aaren::training {

// Switches to bfloat16. False without a change if the CPU lacks the instructions, because bfloat16 would then be
// slower.
bool UseBFloat16Products();

bool BFloat16Products();  // true if bfloat16 products are in use

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PRODUCTS_H_
