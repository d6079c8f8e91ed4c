#include "tests/model/engine/random_package.h"

#include <cmath>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren::engine {
namespace {

// A sum of twelve uniform numbers, because the standard library's distributions differ between implementations.
double Normal(std::mt19937_64& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
  return sum;
}

void Fill(const std::string& name, package::Tensor& tensor, std::mt19937_64& random) {
  const bool matrix = tensor.shape.size() == 2;
  const bool gain = absl::StrContains(name, "norm");
  const double deviation = matrix ? 1.0 / std::sqrt(static_cast<double>(tensor.shape[1])) : 0.1;
  for (float& value : tensor.data) value = static_cast<float>((gain ? 1.0 : 0.0) + deviation * Normal(random));
}

// The first head remembers everything, the last head about twenty tokens.
void FillDecay(const package::ForecasterConfig& config, package::Tensor& decay) {
  for (int h = 0; h < config.heads; ++h)
    decay.data[h] = 0.05f * static_cast<float>(h) / static_cast<float>(config.heads);
}

// Plain heads come first, then rotary heads. Each pair of values turns by an angle of its own, 2 atan(t) per token. The
// rotation by t is (1 - t^2, 2 t) / (1 + t^2), and several tokens take its power. No cosine is called, because its bits
// differ between machines.
void FillRotation(const package::ForecasterConfig& config, package::Tensor& cosine, package::Tensor& sine) {
  const int pairs = config.value_width / 2;
  for (int j = 0; j < pairs; ++j) {
    const double t = j < pairs / 2 ? 0.0 : 1.0 / (1.5 + 2.25 * (j - pairs / 2));
    const double one_cosine = (1.0 - t * t) / (1.0 + t * t), one_sine = 2.0 * t / (1.0 + t * t);
    double c = 1.0, s = 0.0;
    for (int dt = 1; dt <= config.fold_every; ++dt) {
      const double turned = c * one_cosine - s * one_sine;
      s = s * one_cosine + c * one_sine;
      c = turned;
      cosine.data[(dt - 1) * pairs + j] = static_cast<float>(c);
      sine.data[(dt - 1) * pairs + j] = static_cast<float>(s);
    }
  }
}

}  // namespace

package::ForecasterConfig TinyConfig() {
  return {.ring = 13,
          .width = 20,
          .layers = 2,
          .heads = 4,
          .value_width = 24,
          .embed_hidden = 18,
          .mlp_hidden = 22,
          .horizon = 5,
          .fold_every = 4,
          .history = 32,
          .quantiles = {0.1f, 0.5f, 0.9f}};
}

package::ModelPackage RandomPackage(const package::ForecasterConfig& config, uint64_t seed) {
  std::mt19937_64 random(seed);
  package::ModelPackage package;
  package.name = "random";
  package.description = "Random weights for tests.";
  package.config = config;
  package.training = {{"seed", absl::StrCat(seed)}};
  for (const auto& [name, shape] : package::ExpectedTensors(config)) {
    size_t count = 1;
    for (int64_t size : shape) count *= static_cast<size_t>(size);
    package::Tensor& tensor = package.tensors[name];
    tensor.shape = shape;
    tensor.data.resize(count);
    Fill(name, tensor, random);
  }
  for (int layer = 0; layer < config.layers; ++layer) {
    const std::string attention = absl::StrCat("blocks.", layer, ".attention.");
    FillDecay(config, package.tensors[attention + "decay"]);
    FillRotation(config, package.tensors[attention + "cos"], package.tensors[attention + "sin"]);
  }
  return package;
}

}  // namespace aaren::engine
