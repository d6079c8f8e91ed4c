#ifndef AAREN_TESTS_MODEL_SPECIFICATION_FORECASTER_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_FORECASTER_H_

// The order of work at a token (rules 1.3, 1.38, 6.3), and the row (section 13). One Forecaster is one series.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "tests/model/specification/network/network.h"
#include "tests/model/specification/network/seasonal_input.h"
#include "tests/model/specification/refinement/calibration.h"
#include "tests/model/specification/refinement/far.h"
#include "tests/model/specification/refinement/mixture.h"
#include "tests/model/specification/refinement/second_view.h"
#include "tests/model/specification/refinement/support.h"
#include "tests/model/specification/series/covariates.h"
#include "tests/model/specification/series/lag_errors.h"
#include "tests/model/specification/series/profile.h"
#include "tests/model/specification/series/series.h"
#include "tests/model/specification/series/sources.h"

namespace aaren::specification {

// The last refinement of a call's forecasts (9.19).
enum class Stage { kNetwork, kMixed, kCalibrated, kRestricted };

// Steps and levels beyond the model's own (8.16).
struct Selection {
  std::vector<uint32_t> steps;
  Vector levels;
};

// The kind of a row: 15 to 17.
struct Kind {
  bool extended = false;
  int past = 0, future = 0;
  bool profile = false;
};

// The covariates of a token: [past + future], and those ahead, [steps of the selection, future].
struct Beside {
  Vector now, ahead;
};

struct Reply {
  float surprise;
  Vector forecast = {};   // [T, Q], empty if not wanted
  Vector selected = {};   // [steps, levels] of the selection, empty if not wanted
  double origin = 0;      // the forecast's
  bool learning = false;  // 8.15
};

class Forecaster {
 public:
  // The package outlives this.
  explicit Forecaster(const package::ModelPackage& package, Tier tier = Tier::kExact, Kind kind = {});
  Forecaster(const Forecaster&) = delete;  // parts refer to the sizes

  Reply Take(double value, bool wanted, Stage stage, const Selection& selection = {}, const Beside& beside = {});

  std::vector<std::byte> Row() const;  // section 13

 private:
  // The results for a token that passed through the network.
  struct Outcome {
    Vector forecast;  // the network's forecast (5.7), [T, Q]; empty if not needed
    SourcesOfSteps sources;
    Seasons seasons;  // by places, of step 2.18
    Standpoint from = {};
    Thinning thinning;
    Vector view = {}, half = {};  // 17.7, [T], and 17.17, [1024]; empty without a profile
  };

  void MoveOrigin();                                       // 1.40-1.42
  void TakeValue(double v, double x);                      // 1
  void TakeAsView(double value);                           // 17.4
  Vector PassAsView(bool folds, bool probe, bool needed);  // 17.6: the medians, [T], if needed
  void BeginView();
  void CatchUp();                                               // 17.3
  void TakeRest(int64_t t, double v);                           // 17.4, 17.5, 17.15
  Vector View(bool needed);                                     // 17.6, 17.7
  Vector Half(bool needed);                                     // 17.16, 17.17
  Vector Moved(const Outcome& outcome, Vector mixed) const;     // 17.12
  bool IsLearning() const;                                      // 8.15
  float SurpriseOf(float x, Stage stage) const;                 // 8.2-8.4
  Outcome GoOn(bool probe, bool wanted, bool may_fold = true);  // 2 to 6
  void Widen(int gap, Vector& forecast) const;
  void Spread(Thinning thinning, Outcome& outcome) const;     // 2.17, 2.18
  Vector Mixed(const Outcome& outcome) const;                 // 6.42-6.47
  Vector Refined(const Outcome& outcome, Stage stage) const;  // 6 and 7
  NearForecast Near(const Vector& forecast, const Outcome& outcome) const;
  Vector Selected(const Vector& forecast, const Outcome& outcome, const Selection& selection,
                  const Vector& effects) const;                            // 8.16-8.20
  Vector Effects(const Selection& selection, const Beside& beside) const;  // 16.9
  void LearnCovariates(int64_t p);                                         // 16.3-16.8

  Network network_;
  const Sizes& sizes_;
  int64_t t_ = 0;
  Series series_;
  LagErrors errors_;
  Support support_;
  Mixture mixture_;
  Calibration calibration_;
  std::optional<Far> far_;
  std::optional<Covariates> covariates_;
  std::optional<Profile> profile_;
  std::optional<SecondView> second_view_;
  std::unique_ptr<Forecaster> rest_, half_;  // the second view and the half-rate view; null while Z is 0
  const package::ModelPackage& package_;
  Vector one_step_;  // 8.1
  std::array<float, 4> one_step_sources_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_FORECASTER_H_
