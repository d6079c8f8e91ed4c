#include "model/engine/network/packed_matrix.h"

#include <algorithm>
#include <bit>

#include "model/engine/network/split_rows.h"

namespace aaren::engine {

PackedMatrix PackedMatrix::Pack(std::initializer_list<Linear> layers) {
  PackedMatrix packed;
  packed.depth_ = static_cast<size_t>(layers.begin()->weight.shape[1]);
  packed.pairs_ = SplitRows::Pad(packed.depth_) / 2;
  for (const Linear& linear : layers) {
    packed.offsets_.push_back(packed.width_);
    packed.width_ += math::PadToLanes(static_cast<size_t>(linear.weight.shape[0]));
  }
  packed.weights_ = hwy::AllocateAligned<float>(packed.width_ * packed.depth_);
  packed.bias_ = hwy::AllocateAligned<float>(packed.width_);
  std::fill_n(packed.weights_.get(), packed.width_ * packed.depth_, 0.0f);
  std::fill_n(packed.bias_.get(), packed.width_, 0.0f);
  size_t i = 0;
  for (const Linear& linear : layers) packed.PackLinear(linear, packed.offsets_[i++]);
  packed.Halve();
  return packed;
}

// Keeps only the upper halves of the weights, if all lower halves are zero.
void PackedMatrix::Halve() {
  const float* weights = weights_.get();
  const auto upper = [](float weight) { return std::bit_cast<uint32_t>(weight) >> 16; };
  const auto is_half = [&](float weight) { return std::bit_cast<uint32_t>(weight) == upper(weight) << 16; };
  // A single weight with more bits keeps the whole matrix in floats: a half would lose bits of results.
  if (!std::all_of(weights, weights + width_ * depth_, is_half)) return;
  const size_t count = (width_ + kBeside - 1) / kBeside * kBeside * pairs_;
  halves_ = hwy::AllocateAligned<uint32_t>(count);
  std::fill_n(halves_.get(), count, 0);
  for (size_t column = 0; column < width_; ++column) {
    const float* panel = weights + column / math::kLanes * math::kLanes * depth_ + column % math::kLanes;
    uint32_t* words = halves_.get() + (halves(column) - halves_.get());
    for (size_t k = 0; k < depth_; ++k) words[k / 2 * kBeside] |= upper(panel[k * math::kLanes]) << k % 2 * 16;
  }
  weights_.reset();
}

float PackedMatrix::weight(size_t k, size_t column) const {
  if (halved()) return std::bit_cast<float>(halves(column)[k / 2 * kBeside] >> k % 2 * 16 << 16);
  return weights_[column / math::kLanes * math::kLanes * depth_ + k * math::kLanes + column % math::kLanes];
}

void PackedMatrix::PackLinear(const Linear& linear, size_t offset) {
  const size_t outputs = static_cast<size_t>(linear.weight.shape[0]);
  for (size_t n = 0; n < outputs; ++n) {
    const size_t column = offset + n;
    float* panel = weights_.get() + column / math::kLanes * math::kLanes * depth_ + column % math::kLanes;
    for (size_t k = 0; k < depth_; ++k) panel[k * math::kLanes] = linear.weight.data[n * depth_ + k];
  }
  if (linear.bias != nullptr) std::copy_n(linear.bias->data.data(), outputs, bias_.get() + offset);
}

}  // namespace aaren::engine
