// Rows from outside. A row accepted by CheckRow forecasts numbers only, never NaN, and CheckRow accepts every row made
// by the engine from any series.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "model/engine/forecasting/row.h"
#include "model/engine/forecasting/weights.h"
#include "model/package/package.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

constexpr float kMostFloat = std::numeric_limits<float>::max();

package::ForecasterConfig Config(int width) {
  package::ForecasterConfig config = TinyConfig();
  config.width = width;
  return config;
}

// Random weights large enough to bring all results of the network to the ends of the ranges.
package::ModelPackage LargePackage(bool seasons) {
  package::ForecasterConfig config = TinyConfig();
  config.seasons = seasons;
  package::ModelPackage package = RandomPackage(config, 31);
  for (auto& [name, tensor] : package.tensors) {
    if (name.ends_with(".cos") || name.ends_with(".sin") || name.ends_with(".decay")) continue;
    for (float& weight : tensor.data) weight = std::copysign(1e4f, weight);
  }
  return package;
}

// A session of a package, the session's row and the bounds of the weights.
struct Session {
  explicit Session(const package::ModelPackage& package)
      : stepper(package),
        slot(stepper.Open()),
        layout(package.config),
        levels(package.config.quantiles.size()),
        bounds(BoundsOf(package)),
        bytes(stepper.RowBytes(slot)) {}

  absl::Status Check() { return stepper.engine()->CheckRow(bytes).status(); }
  std::byte* row() { return bytes.data(); }

  // Steps on the row in the present state.
  Outputs Feed(const std::vector<float>& values) {
    stepper.SetRow(slot, bytes);
    Outputs outputs = stepper.Feed(slot, values);
    bytes = stepper.RowBytes(slot);
    return outputs;
  }

  void ExpectFiniteForecasts() {
    const Outputs outputs = Feed({1.0f, 2.0f, NAN, -1e30f, 1e-20f, 3.0f, 4.0f});
    for (float forecast : outputs.forecasts) ASSERT_TRUE(std::isfinite(forecast));
    for (float surprise : outputs.surprises) ASSERT_TRUE(std::isnan(surprise) || (surprise >= 0 && surprise <= 1));
  }

  // Fills o with the share `part` of the bound of each pair.
  void FillOutputs(double part) {
    for (size_t i = 0; i < bounds.size(); ++i) {
      for (size_t j = 0; j < 2 * bounds[i].output.size(); ++j) {
        layout.layer(row(), i).output[j] = part * bounds[i].output[j / 2] * std::sqrt(0.5);
      }
    }
  }

  Stepper stepper;
  Slot slot;
  RowLayout layout;
  size_t levels;
  std::vector<LayerBound> bounds;
  std::vector<std::byte> bytes;  // the row
};

class ForeignRowTest : public testing::TestWithParam<const char*> {
 protected:
  package::ModelPackage Package() const {
    const std::string name = GetParam();
    if (name == "bundled") return package::LoadPackage(AAREN_BUNDLED_MODEL).value();
    if (name.starts_with("large")) return LargePackage(name == "large_seasonal");
    return RandomPackage(Config(name == "narrow" ? 1 : 20), 32);
  }

  Session session_{Package()};
};

INSTANTIATE_TEST_SUITE_P(Weights, ForeignRowTest,
                         testing::Values("random", "narrow", "large", "large_seasonal", "bundled"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ForeignRowTest, OutputsAtTheBoundAreAcceptedAndHarmless) {
  session_.Feed(Series(3, 40));
  for (double part : {-1.0, 1.0}) {
    session_.FillOutputs((1.0 - 1e-12) * part);
    ASSERT_TRUE(session_.Check().ok()) << session_.Check();
    session_.ExpectFiniteForecasts();
  }
}

TEST_P(ForeignRowTest, OutputsBeyondTheBoundAreRefused) {
  session_.Feed(Series(3, 40));
  session_.FillOutputs(1.0 + 1e-12);
  EXPECT_EQ(session_.Check().code(), absl::StatusCode::kDataLoss);
}

TEST_P(ForeignRowTest, OutputsAsLargeAsAFloatAreRefused) {
  session_.Feed(Series(3, 40));
  for (size_t i = 0; i < session_.bounds.size(); ++i) {
    const LayerState state = session_.layout.layer(session_.row(), i);
    const double before = state.output[0];
    for (float most : {kMostFloat, -kMostFloat}) {
      state.output[0] = most;
      EXPECT_EQ(session_.Check().code(), absl::StatusCode::kDataLoss) << "layer " << i;
    }
    state.output[0] = before;
  }
}

TEST_P(ForeignRowTest, PeaksBeyondTheBoundAreRefused) {
  session_.Feed(Series(3, 40));
  double& peak = session_.layout.layer(session_.row(), 0).peak[0];
  for (double sign : {-1.0, 1.0}) {
    peak = sign * session_.bounds[0].peak[0];
    EXPECT_TRUE(session_.Check().ok()) << session_.Check();
    peak *= 1.0 + 1e-12;
    EXPECT_EQ(session_.Check().code(), absl::StatusCode::kDataLoss);
  }
}

TEST_P(ForeignRowTest, RowsThatTheEngineMadeAreAccepted) {
  for (const std::vector<float>& series : HardSeries(1500)) {
    session_.layout.Reset(absl::MakeSpan(session_.bytes));
    for (size_t begin = 0; begin < series.size(); begin += 25) {
      session_.Feed({series.begin() + begin, series.begin() + begin + 25});
      ASSERT_TRUE(session_.Check().ok()) << session_.Check() << " after " << begin + 25 << " tokens";
    }
  }
}

TEST(ForeignRowsOfRareFoldsTest, RowsOfRegularHolesAreAcceptedBeforeTheFirstFold) {
  package::ForecasterConfig config = TinyConfig();
  config.fold_every = 32;
  for (const size_t every : {2, 5, 16}) {
    Session session(RandomPackage(config, 33));
    for (size_t t = 0; t < 1200; t += 5) {
      std::vector<float> values(5, NAN);
      for (size_t i = 0; i < values.size(); ++i) {
        if ((t + i) % every == 0) values[i] = static_cast<float>((t + i) % 7);
      }
      session.Feed(values);
      ASSERT_TRUE(session.Check().ok()) << session.Check() << " after " << t + 5 << " tokens, one in " << every;
    }
  }
}

// A number of any kind for a field of a row.
double AnyNumber(std::mt19937_64& random) {
  constexpr double kOdd[] = {0.0,  -0.0,  1.0,   NAN,   INFINITY, -INFINITY, kMostFloat, -kMostFloat,
                             1e30, -1e30, 1e-27, 1e-45, 5e-324,   0.75,      -0.75};
  if (random() % 4 == 0) return kOdd[random() % std::size(kOdd)];
  const double magnitude = std::ldexp(1.0, static_cast<int>(random() % 80) - 40);
  return magnitude * (static_cast<double>(random() >> 11) * 0x1p-52 - 1.0);
}

// Writes allowed lags, in any order, and sometimes forbidden lags.
void ScrambleSearch(season::LagErrors& errors, std::mt19937_64& random) {
  const auto lag = [&] {
    return static_cast<uint16_t>(random() % 4 == 0 ? random() % 1300 : 16 * (random() % 70) + 19);
  };
  for (size_t i = 0; i < season::kFoundLags; ++i) {
    if (random() % 4 != 0) continue;
    errors.found[i] = lag();
    errors.found_mean[i] = static_cast<float>(random() % 1000) / 250.0f;
  }
  if (random() % 4 == 0) errors.next_lag = lag();
  if (random() % 4 == 0) errors.tried_lag = lag(), errors.trial_left = static_cast<uint32_t>(1 + random() % 30);
}

// Writes numbers to a row's memory of the series and of naive forecasts, in the same way.
void ScrambleMemory(Session& session, std::mt19937_64& random) {
  const auto any = [&](double most) {
    const double part = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    return static_cast<float>(random() % 512 == 0 ? AnyNumber(random) : most * part);
  };
  season::ValueMemory& values = session.layout.values(session.row());
  for (float& value : values.recent) value = random() % 4 == 0 ? any(1e30) : value;
  for (float& low : values.low) low = low != 0 && random() % 4 == 0 ? any(1e30) : low;
  if (random() % 4 == 0) values.typical = {any(1e31), any(1e31)};
  for (float& step : values.step) step = step != 0 && random() % 4 == 0 ? std::abs(any(6e25)) : step;
  for (uint16_t& code : values.codes) code = code != 65535 ? static_cast<uint16_t>(random()) : code;
  for (float& mean : session.layout.errors(session.row()).mean) {
    if (!std::isnan(mean) && random() % 4 == 0) mean = std::abs(any(4.0));
  }
  if (random() % 8 == 0) std::fill_n(session.layout.errors(session.row()).mean, 15, 1e-45f);  // beside larger errors
  ScrambleSearch(session.layout.errors(session.row()), random);
  for (size_t i = 0; i < session.layout.probes().under_way(); ++i) {
    if (random() % 4 == 0) session.layout.choices(session.row())[i].first = static_cast<uint16_t>(random() % 1500);
  }
  Support& support = session.layout.support(session.row());
  if (random() % 4 == 0) support = {any(1e30), any(1e30), any(1e30), std::abs(any(1e30)), random() % 2 == 0};
  float* mixture = session.layout.mixture(session.row());
  for (size_t i = 0; i < session.layout.mixture().state_size(); ++i) {
    const bool error = i < session.layout.mixture().state_size() - session.layout.probes().kept();
    if (std::isfinite(mixture[i]) && random() % 4 == 0) mixture[i] = std::abs(any(error ? 12.0 : kMostFloat));
  }
}

// Overwrites some fields with numbers within the bounds, and sometimes a field with any number.
void Scramble(Session& session, std::mt19937_64& random) {
  const auto part = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; };
  const auto reckless = [&] { return random() % 64 == 0; };
  std::byte* row = session.row();
  RowHeader& header = session.layout.header(row);
  if (random() % 4 == 0) header.seq += random() % (uint64_t{1} << (random() % 62));
  if (random() % 4 == 0) header.statistics.mean = reckless() ? AnyNumber(random) : 1e30 * part();
  if (random() % 4 == 0) header.statistics.variance = std::abs(reckless() ? AnyNumber(random) : 4e60 * part());
  ScrambleMemory(session, random);
  for (size_t i = 0; i < session.layout.calibration().probes().tracked().size() * 3; ++i) {
    if (random() % 4 == 0) session.layout.calibration(row)[i] = static_cast<float>(0.75 * part());
  }
  std::fill_n(session.layout.one_step(row), session.levels, random() % 2 == 0 ? NAN : kMostFloat);
  if (random() % 2 == 0) session.layout.one_step(row)[0] = -kMostFloat;
  session.FillOutputs(part());
  for (size_t i = 0; i < session.bounds.size(); ++i) {
    const LayerState state = session.layout.layer(row, i);
    for (size_t h = 0; h < session.bounds[i].peak.size(); ++h) {
      state.peak[h] = session.bounds[i].peak[h] * part();
      state.weight[h] = 1.0 + std::abs(part()) * static_cast<double>(header.seq / 16);
    }
    if (random() % 8 == 0) state.output[random() % (2 * session.bounds[i].output.size())] = AnyNumber(random);
  }
}

TEST_P(ForeignRowTest, AcceptedRowsGiveFiniteForecastsWhateverIsInThem) {
  std::mt19937_64 random(33);
  session_.Feed(Series(3, 500));
  const std::vector<std::byte> good = session_.bytes;
  int accepted = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    session_.bytes = good;
    Scramble(session_, random);
    if (!session_.Check().ok()) {
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_NO_FATAL_FAILURE(session_.ExpectFiniteForecasts()) << "row " << i;
  }
  EXPECT_GT(accepted, 60);
  EXPECT_GT(refused, 60);
}

// With one number per token RMSNorm leaves only the sign: the engine's own values are as large as the bound.
TEST(LayerBoundTest, IsReachedByAWidthOfOne) {
  Session session(RandomPackage(Config(1), 32));
  session.Feed(Series(3, 400));
  double nearest = 0.0;
  for (size_t j = 0; j < session.bounds[0].output.size(); ++j) {
    const double* pair = session.layout.layer(session.row(), 0).output + 2 * j;
    if (session.bounds[0].output[j] > 0) {
      nearest = std::max(nearest, std::hypot(pair[0], pair[1]) / session.bounds[0].output[j]);
    }
  }
  EXPECT_GT(nearest, 0.9);
}

}  // namespace
}  // namespace aaren::engine
