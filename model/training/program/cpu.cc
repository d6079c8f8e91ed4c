#include "model/training/program/cpu.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <cstdio>

#include "absl/strings/str_format.h"
#include "model/training/products.h"

namespace aaren::training {

void UseCpu(int threads, bool bfloat16_products) {
  at::globalContext().setDeterministicAlgorithms(true, false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);  // no memory is read before written
  if (bfloat16_products && !UseBFloat16Products()) {
    absl::FPrintF(stderr, "aaren-train: --products=bfloat16: this CPU has no such instructions, float32 it is\n");
  }
  at::set_num_threads(threads);
}

}  // namespace aaren::training
