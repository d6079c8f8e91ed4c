#include "model/engine/forecasting/tile.h"

#include <algorithm>

#include "model/math/lanes.h"
#include "model/season/seasonal_input.h"
#include "model/season/sources.h"

namespace aaren::engine {
namespace {

size_t Size(int size) { return static_cast<size_t>(size); }

}  // namespace

FloatRows::FloatRows(size_t rows, size_t width)
    : stride_(math::PadToLanes(width)), data_(hwy::AllocateAligned<float>(rows * stride_)) {
  std::fill_n(data_.get(), rows * stride_, 0.0f);
}

// Some rows serve only a network with seasons, or extended rows. Other networks get a single row of these, because no
// row at all is not possible.
Tile::Tile(const package::ForecasterConfig& config, const RowLayout& layout, const Network& network)
    : pass(network.NewPass()),
      tokens(network.tile_tokens()),
      input(capacity(), Size(config.input_width())),
      judging(capacity(), layout.calibration().probes().tracked().size()),
      evidence(capacity(), layout.mixture().evidence_size()),
      sources(capacity(), season::kSourceCount * Size(config.horizon)),
      profile(layout.second_view() ? capacity() : 1, layout.second_view() ? FarHorizons::kLast : 1),
      effects(layout.covariates() ? capacity() : 1, layout.covariates() ? kFarHorizon : 1),
      far_evidence(layout.far() ? capacity() : 1, layout.far() ? layout.far()->evidence_size() : 1),
      far_sources(layout.far() ? capacity() : 1, layout.far() ? season::kSourceCount * FarHorizons::kLast : 1),
      standard(config.seasons ? capacity() : 1, season::kSourceCount * Size(config.horizon)),
      residuals(config.seasons ? capacity() : 1,
                season::kSeasonSources * Size(package::ForecasterConfig::kSeasonalResiduals)),
      quantiles(config.quantiles.size()),
      far(layout.far() ? FarHorizons::kLast * config.quantiles.size() : 0),
      view(layout.second_view() ? Size(config.horizon) : 0),
      half(layout.second_view() ? FarHorizons::kLast : 0),
      judged(layout.second_view() ? layout.mixture().probes().tracked().size() : 0),
      judged_views(judged.size()),
      forecast(Size(config.horizon) * config.quantiles.size()),
      window(Size(config.ring)) {}

}  // namespace aaren::engine
