#ifndef AAREN_MODEL_ENGINE_ROW_H_
#define AAREN_MODEL_ENGINE_ROW_H_

// RowLayout says where everything is in the bytes of a row, all that one series remembers:
//   RowHeader | one_step float[Q] | ring float[P] | calibration float[its state] | per layer: o double[V, padded],
//   c double[H], m double[H] | zeros up to 64 bytes
//
// Every field is written by a token that changes it, whichever call the token came in, so equal histories have equal
// bytes. Little-endian. Threading: a plain value.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/calibration.h"
#include "model/engine/layer_bound.h"
#include "model/engine/scaling.h"
#include "model/engine/statistics.h"
#include "model/package/config.h"

namespace aaren {

struct RowHeader {
  uint64_t seq;           // tokens taken
  Statistics statistics;  // of the values so far
  uint64_t claimed;       // 1 while a Step works on the row, to find a row that one call names twice; else 0
};

// One layer's softmax attention over all that was folded (the plain o = a / c, so that it never grows).
struct LayerState {
  double* output;  // o: [V], padded with zeros to a multiple of kLanes
  double* weight;  // c: [H]
  double* peak;    // m: [H]
};

class RowLayout {
 public:
  explicit RowLayout(const ForecasterConfig& config);

  size_t bytes() const { return bytes_; }  // a multiple of 64
  const Calibration& calibration() const { return calibration_; }

  // Views of a row, which is aligned to 8 bytes.
  RowHeader& header(std::byte* row) const { return *reinterpret_cast<RowHeader*>(row); }
  float* one_step(std::byte* row) const {
    return reinterpret_cast<float*>(row + sizeof(RowHeader));
  }  // not calibrated; NaN if no forecast
  float* ring(std::byte* row) const { return reinterpret_cast<float*>(row + ring_offset_); }
  float* calibration(std::byte* row) const { return reinterpret_cast<float*>(row + calibration_offset_); }
  LayerState layer(std::byte* row, size_t layer) const;

  void Reset(absl::Span<std::byte> row) const;

  // Of any bytes of the right length.
  uint64_t seq(absl::Span<const std::byte> row) const;

  // DataLoss naming the field if no series can have left such a row: from one that passes, all forecasts are finite.
  // `bounds` are those of the weights, one a layer. The row may come from anywhere and be unaligned.
  absl::Status Check(absl::Span<const std::byte> row, absl::Span<const LayerBound> bounds) const;

 private:
  absl::Status CheckHeader(const RowHeader& header) const;
  absl::Status CheckOneStep(const RowHeader& header, const float* one_step) const;
  absl::Status CheckRing(const RowHeader& header, const float* ring) const;
  absl::Status CheckLayer(const RowHeader& header, size_t index, const LayerState& state,
                          const LayerBound& bound) const;
  absl::Status CheckHead(uint64_t folds, size_t index, size_t head, const LayerState& state,
                         const LayerBound& bound) const;

  Calibration calibration_;
  size_t quantiles_;
  size_t ring_;
  size_t layers_;
  size_t heads_;
  size_t output_width_;  // V, padded
  size_t fold_every_;
  uint64_t history_;
  size_t ring_offset_;
  size_t calibration_offset_;
  size_t layers_offset_;
  size_t layer_bytes_;
  size_t bytes_;
};

}  // namespace aaren

#endif  // AAREN_MODEL_ENGINE_ROW_H_
