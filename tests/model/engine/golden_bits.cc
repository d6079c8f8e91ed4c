#include "tests/model/engine/golden_bits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "tests/model/engine/hard_series.h"

namespace aaren::engine {
namespace {

constexpr size_t kTokens = 800;

// Whole numbers of at least 0, by which forecasts are restricted.
std::vector<float> Whole(std::vector<float> values) {
  for (float& value : values) value = std::floor(std::abs(value));  // NaN stays
  return values;
}

// A season outside the bank.
std::vector<float> Cycle() {
  constexpr size_t kLength = 37;
  std::mt19937_64 random(41);
  const auto uniform = [&] { return static_cast<float>(random() >> 40) * 0x1p-24f - 0.5f; };
  std::vector<float> shape(kLength), series;
  for (float& value : shape) value = 10.0f * uniform();
  for (size_t t = 0; t < kTokens; ++t) series.push_back(shape[t % kLength] + 0.25f * uniform());
  return series;
}

std::vector<float> Part(const std::vector<float>& series, size_t begin, size_t most) {
  return {series.begin() + begin, series.begin() + std::min(kTokens, begin + most)};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Bits& bits) {
  return out << std::hex << "{0x" << bits.network << ", 0x" << bits.calibrated << ", 0x" << bits.surprises << ", 0x"
             << bits.row << ", 0x" << bits.whole << ", 0x" << bits.cycle << "}";
}

Bits BitsOf(Stepper& stepper, size_t most) {
  const std::vector<float> series = EventfulSeries(kTokens), cycle = Cycle();
  Outputs outputs, network, whole;
  const Slot slot = stepper.Open(), second = stepper.Open(), third = stepper.Open(), fourth = stepper.Open();
  for (size_t begin = 0; begin < kTokens; begin += most) {
    const std::vector<float> tokens = Part(series, begin, most);
    outputs.Append(stepper.Feed(slot, tokens));
    network.Append(stepper.Feed(second, tokens, Refinement::kNetwork));
    whole.Append(stepper.Feed(third, Whole(tokens)));
    stepper.Feed(fourth, Part(cycle, begin, most));
  }
  const Bits bits = {Fingerprint(network.results),   Fingerprint(outputs.results),
                     Fingerprint(outputs.surprises), Fingerprint(stepper.RowBytes(slot)),
                     Fingerprint(whole.results),     Fingerprint(stepper.RowBytes(fourth))};
  stepper.lane().Free({slot, second, third, fourth});
  return bits;
}

package::ModelPackage Halved(package::ModelPackage package) {
  for (auto& [name, tensor] : package.tensors) {
    if (tensor.shape.size() != 2 || name.ends_with(".cos") || name.ends_with(".sin")) continue;
    for (float& value : tensor.data) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000u);
  }
  return package;
}

package::ForecasterConfig WithSeasons(package::ForecasterConfig config) {
  config.seasons = true;
  return config;
}

}  // namespace aaren::engine
