#include "model/engine/cuda/network_image.h"

#include <gtest/gtest.h>

#include <cstring>

#include "model/package/package.h"
#include "tests/model/engine/random_package.h"

namespace aaren::engine {
namespace {

// A block's most shared memory by NVIDIA's programming guide: compute capability 8.0 has 163 KB, 9.0 has 227 KB, 12.0
// has 99 KB.
constexpr uint64_t kAmpere = 163 << 10, kHopper = 227 << 10, kBlackwell = 99 << 10;

Instruction At(const NetworkImage& image, int index) {
  Instruction instruction;
  std::memcpy(&instruction, image.bytes.data() + image.program.instructions + index * sizeof(instruction),
              sizeof(instruction));
  return instruction;
}

TEST(NetworkImageTest, ABlockOfEveryKindOfGpuHoldsTheBundledModel) {
  const NetworkImage image(package::LoadPackage(AAREN_BUNDLED_MODEL).value());
  EXPECT_LE(SharedBytes(image.program, 32), kAmpere);
  EXPECT_LE(SharedBytes(image.program, 32), kHopper);
  EXPECT_LE(SharedBytes(image.program, 16), kBlackwell);
}

TEST(NetworkImageTest, WeightsThatAreBfloat16TakeHalfTheBytes) {
  const package::ModelPackage bundled = package::LoadPackage(AAREN_BUNDLED_MODEL).value();
  package::ModelPackage floats = bundled;
  for (auto& [name, tensor] : floats.tensors) {
    if (tensor.shape.size() == 2) tensor.data[0] += 1e-6f;
  }
  const size_t halved = NetworkImage(bundled).bytes.size(), whole = NetworkImage(floats).bytes.size();
  EXPECT_LT(halved, 0.6 * static_cast<double>(whole));
}

TEST(NetworkImageTest, EveryConstantLiesInsideAndAligned) {
  package::ForecasterConfig config = TinyConfig();
  config.seasons = true;
  const NetworkImage image(RandomPackage(config, 1));
  for (int i = 0; i < image.program.count; ++i) {
    const Instruction it = At(image, i);
    for (ImageOffset offset : {it.weights, it.bias, it.decay, it.cosine, it.sine}) {
      EXPECT_LT(offset, image.bytes.size()) << i;
      EXPECT_EQ(offset % 64, 0u) << i;
    }
  }
}

}  // namespace
}  // namespace aaren::engine
