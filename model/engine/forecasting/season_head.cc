#include "model/engine/forecasting/season_head.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/engine/network/activation.h"

namespace aaren::engine {
namespace {

constexpr size_t kParts = package::ForecasterConfig::kSeasonalParts;

// Softmax over each knot's logits but for the exponentials, which are taken of all together.
void SubtractLargest(float* logits, size_t knots) {
  for (float* knot = logits; knot != logits + knots * kParts; knot += kParts) {
    const float largest = *std::max_element(knot, knot + kParts);
    for (size_t part = 0; part < kParts; ++part) knot[part] -= largest;
  }
}

void DivideBySum(float* powers, size_t knots) {
  for (float* knot = powers; knot != powers + knots * kParts; knot += kParts) {
    const float sum = (knot[0] + knot[1]) + (knot[2] + knot[3]) + knot[4];
    for (size_t part = 0; part < kParts; ++part) knot[part] /= sum;
  }
}

}  // namespace

SeasonHead::SeasonHead(const package::ModelPackage& package)
    : gate_(PackedMatrix::Pack({{package.tensors.at("season.gate.weight"), &package.tensors.at("season.gate.bias")}})) {
  for (size_t source = 0; source < season::kSeasonSources; ++source) {
    corrections_[source] =
        PackedMatrix::Pack({{package.tensors.at(absl::StrCat("season.residual.", source, ".weight"))}});
  }
  const std::vector<int> knots = package.config.season_knots();
  knots_ = knots.size();
  for (int step = 1; step <= package.config.horizon; ++step) {
    const size_t after = static_cast<size_t>(std::lower_bound(knots.begin(), knots.end(), step) - knots.begin());
    const size_t before = after == 0 ? 0 : after - 1;
    const int gap = knots[after] - knots[before];
    const float share = gap == 0 ? 1.0f : static_cast<float>(step - knots[before]) / static_cast<float>(gap);
    places_.push_back({.before = before * kParts, .after = after * kParts, .share = share});
  }
}

void SeasonHead::Mix(float* logits, const float* sources,
                     const std::array<const float*, season::kSeasonSources>& corrections, float* skip) const {
  SubtractLargest(logits, knots_);
  Exp(logits, gate_.width(), logits);
  DivideBySum(logits, knots_);
  const size_t horizon = places_.size();
  for (size_t j = 0; j < horizon; ++j) {
    const Place& place = places_[j];
    float parts[kParts] = {skip[j], sources[j]};
    for (size_t k = 0; k < season::kSeasonSources; ++k)
      parts[k + 2] = sources[(k + 1) * horizon + j] + corrections[k][j];
    float mixed = 0.0f;
    for (size_t k = 0; k < kParts; ++k) {
      const float weight = (1.0f - place.share) * logits[place.before + k] + place.share * logits[place.after + k];
      mixed += weight * parts[k];
    }
    skip[j] = mixed;
  }
}

}  // namespace aaren::engine
