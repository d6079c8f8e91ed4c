#ifndef AAREN_MODEL_ENGINE_FORECASTING_ROW_H_
#define AAREN_MODEL_ENGINE_FORECASTING_ROW_H_

// RowLayout gives the place of everything in a row, the bytes that one series remembers (model/README.md, 13):
//
//   RowHeader                                seq, statistics and the origin of all values below
//   Support                                  support
//   float [Q], float [4]                     one_step, and its sources
//   float [Calibration::state_size()]        calibration
//   float [Mixture::state_size()]            mixture
//   SeasonChoice [Probes::under_way()]       choices
//   LagErrors, ValueMemory                   errors, values
//   zeros up to a multiple of 64 bytes; all bytes beyond belong to the network, which may keep them elsewhere
//   per layer: double o [V, padded], c [H], m [H]
//   zeros up to a multiple of 64 bytes; a plain row ends here
//   Covariates' bytes, FarHorizons' floats   covariates, far
//   Profile, SecondView's floats             profile, second_view
//   zeros up to a multiple of 64 bytes
//   a plain row of the series less its profile: view
//   a plain row of the means of two values of the view: half
//
// A row keeps values and forecasts as floats relative to its origin, a double: so a series at a level of 1e9 is as fine
// as a series at 0. The origin is the first value. Where the series has left the origin far behind, the origin moves.
//
// A token that changes a field writes the field at once, in whichever call the token came, so equal histories leave
// equal bytes. Little-endian. Threading: a plain value.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/forecast_result.h"
#include "model/engine/forecasting/extension/covariates.h"
#include "model/engine/forecasting/extension/far_horizons.h"
#include "model/engine/forecasting/extension/second_view.h"
#include "model/engine/forecasting/refinement/calibration.h"
#include "model/engine/forecasting/refinement/mixture.h"
#include "model/engine/forecasting/refinement/probes.h"
#include "model/engine/forecasting/refinement/support.h"
#include "model/engine/network/fold.h"
#include "model/engine/network/layer_bound.h"
#include "model/math/scaling.h"
#include "model/math/statistics.h"
#include "model/package/config.h"
#include "model/season/lag_errors.h"
#include "model/season/profile.h"
#include "model/season/seasons.h"
#include "model/season/value_memory.h"

namespace aaren::engine {

struct RowHeader {
  uint64_t seq;                 // tokens taken
  math::Statistics statistics;  // statistics of the values so far
  uint64_t claimed;             // 1 while a Step works on the row, to find a row that a call names twice; else 0
  double origin;                // values and forecasts of the row are relative to the origin; 0 before the first value
};

// An extended row also has what forecasts beyond the model's horizon need, and what an Extension asks for.
struct RowKind {
  bool extended = false;
  Extension extension = {};  // extended rows only

  // How many floats of a run a token takes, if `steps` steps are selected. A plain row's value may be a float.
  size_t inputs(size_t steps) const {
    return kFloatsOfDouble + extension.past + extension.future + steps * extension.future;
  }
};

class RowLayout {
 public:
  // REQUIRES: FarHorizons::Fits(config), for extended rows.
  explicit RowLayout(const package::ForecasterConfig& config, const RowKind& kind = {});

  size_t bytes() const { return places_.bytes; }           // a multiple of 64
  size_t layers_offset() const { return places_.layers; }  // where the network's part begins, a multiple of 64
  const Probes& probes() const { return mixture_.probes(); }
  const Calibration& calibration() const { return calibration_; }
  const Mixture& mixture() const { return mixture_; }
  const std::optional<FarHorizons>& far() const { return far_; }                 // extended rows only
  const std::optional<Covariates>& covariates() const { return covariates_; }    // rows with covariates only
  const std::optional<SecondView>& second_view() const { return second_view_; }  // rows with a profile only

  // Views of a row. REQUIRES: the row is aligned to 8 bytes.
  RowHeader& header(std::byte* row) const { return *reinterpret_cast<RowHeader*>(row); }
  float* one_step(std::byte* row) const {
    return reinterpret_cast<float*>(row + sizeof(RowHeader) + sizeof(Support));
  }  // the network's forecast, unrefined; NaN without a forecast
  float* one_step_sources(std::byte* row) const { return one_step(row) + sizes_.quantiles; }  // the forecast's sources
  float* calibration(std::byte* row) const { return reinterpret_cast<float*>(row + places_.calibration); }
  float* mixture(std::byte* row) const { return reinterpret_cast<float*>(row + places_.mixture); }
  // The choices of the last probes; a probe's choice lies at the probe's number modulo under_way().
  season::SeasonChoice* choices(std::byte* row) const {
    return reinterpret_cast<season::SeasonChoice*>(row + places_.choices);
  }
  season::LagErrors& errors(std::byte* row) const {
    return *reinterpret_cast<season::LagErrors*>(row + places_.errors);
  }
  season::ValueMemory& values(std::byte* row) const {
    return *reinterpret_cast<season::ValueMemory*>(row + places_.values);
  }
  std::byte* covariates(std::byte* row) const { return row + places_.covariates; }
  float* far(std::byte* row) const { return reinterpret_cast<float*>(row + places_.far); }
  season::Profile& profile(std::byte* row) const { return *reinterpret_cast<season::Profile*>(row + places_.profile); }
  float* second_view(std::byte* row) const {
    return reinterpret_cast<float*>(row + places_.profile + sizeof(season::Profile));
  }
  // The row of the series less its profile. All views of a plain row are views of this row, too.
  std::byte* view(std::byte* row) const { return row + places_.view; }
  // The row of the means of two values of that series. Its seq counts the tokens taken, also while a token is taken.
  std::byte* half(std::byte* row) const { return row + places_.view + places_.covariates; }
  Support& support(std::byte* row) const { return *reinterpret_cast<Support*>(row + sizeof(RowHeader)); }
  LayerState layer(std::byte* row, size_t layer) const;

  // The seasons chosen by the last probe up to token `seq`; no seasons before the first probe.
  season::SeasonChoice Choice(uint64_t seq, std::byte* row) const;
  // Keeps what the probe at token `seq` chose.
  void KeepChoice(uint64_t seq, const season::SeasonChoice& choice, std::byte* row) const;

  // True if the series has left the origin so far behind that floats lose what its values differ by. Asked when a block
  // of values is full, and then Move makes the newest value the origin.
  bool IsFarFromOrigin(std::byte* row) const;
  void MoveOrigin(std::byte* row) const;
  void MoveOriginOfView(std::byte* view) const;

  void Reset(absl::Span<std::byte> row) const;
  void ResetView(std::byte* view) const;

  // The number of tokens that a row has taken. The row may be unaligned. REQUIRES: the row has the right length.
  uint64_t seq(absl::Span<const std::byte> row) const;

  // DataLoss, naming the field, if no series can have left this row. All forecasts of a row that passes are finite.
  // `bounds` are the bounds of the weights, one for each layer. The row may come from anywhere and may be unaligned.
  absl::Status Check(absl::Span<const std::byte> row, absl::Span<const LayerBound> bounds) const;

 private:
  struct Sizes {
    explicit Sizes(const package::ForecasterConfig& config);

    size_t quantiles, layers, heads;
    size_t output_width;  // V, padded
    size_t fold_every;
    uint64_t history;
  };

  // Where the parts of a row begin, in bytes.
  struct Places {
    explicit Places(const RowLayout& row);

    size_t calibration, mixture, choices, errors, values;
    size_t layers, layer_bytes;
    size_t covariates;  // the length of a plain row
    size_t far, profile, view;
    size_t bytes;  // the length of the row
  };

  double MovePlainOrigin(std::byte* row) const;
  absl::Status CheckPlain(std::byte* row, uint64_t folds, absl::Span<const LayerBound> bounds) const;
  absl::Status CheckView(std::byte* row, absl::Span<const LayerBound> bounds) const;
  absl::Status CheckHeader(const RowHeader& header) const;
  absl::Status CheckOneStep(const RowHeader& header, const float* one_step) const;
  absl::Status CheckChoices(const RowHeader& header, const season::SeasonChoice* choices) const;
  bool IsEmpty(const LayerState& state) const;
  absl::Status CheckLayer(uint64_t folds, size_t index, const LayerState& state, const LayerBound& bound) const;
  absl::Status CheckHead(uint64_t folds, size_t index, size_t head, const LayerState& state,
                         const LayerBound& bound) const;

  Calibration calibration_;
  Mixture mixture_;
  std::optional<FarHorizons> far_;
  std::optional<Covariates> covariates_;
  std::optional<SecondView> second_view_;
  const Sizes sizes_;
  const Places places_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_ROW_H_
