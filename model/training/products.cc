#include "model/training/products.h"

#include <ATen/Context.h>

namespace aaren::training {
namespace {

// Every CPU with AMX has AVX512-BF16 as well.
bool HasBFloat16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

}  // namespace

bool UseBFloat16Products() {
  if (!HasBFloat16()) return false;
  // Only the factors are rounded; sums stay in float32.
  at::globalContext().setFloat32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL,
                                          at::Float32Precision::BF16);
  return true;
}

bool BFloat16Products() {
  const auto precision = at::globalContext().float32Precision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL);
  return precision == at::Float32Precision::BF16;
}

}  // namespace aaren::training
