#ifndef AAREN_MODEL_TRAINING_PROGRAM_CPU_H_
#define AAREN_MODEL_TRAINING_PROGRAM_CPU_H_

namespace aaren::training {

// Makes torch compute on this many CPU threads, the same bits in every run. With `bfloat16_products`, products are in
// bfloat16 where the CPU has instructions for that; elsewhere a line on standard error says that products are in
// float32. REQUIRES: no use of torch before.
void UseCpu(int threads, bool bfloat16_products);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_CPU_H_
