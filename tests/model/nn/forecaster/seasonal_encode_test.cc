// Encode's seasonal inputs against a plain computation in double over the whole series.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "model/nn/forecaster/encode.h"
#include "model/season/lag_bank.h"

namespace aaren::nn {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// An error is a mean of up to 900 numbers, and each number rounds the mean four times.
constexpr double kMeanRounding = 900 * 4 * 0x1p-24;

package::ForecasterConfig Seasonal() {
  package::ForecasterConfig config;
  config.ring = 60;
  config.horizon = 30;
  config.seasons = true;
  return config;
}

// Days of 24, weeks of 168, and gaps. The numbers are whole, because a row's memory keeps whole numbers exactly.
std::vector<double> Series() {
  torch::manual_seed(3);
  const torch::Tensor noise = torch::randn({900}, torch::kFloat64);
  std::vector<double> values;
  for (int t = 0; t < 900; ++t) {
    const double day = 300 * std::exp(-0.05 * (t % 24 - 8) * (t % 24 - 8)), week = t % 168 < 48 ? 200 : 0;
    values.push_back(t % 37 == 5 ? kNone : std::round(1000 + day + week + 20 * noise[t].item<double>()));
  }
  return values;
}

// All knowledge of a session after token `now`.
class Plain {
 public:
  Plain(const std::vector<double>& values, int now) : values_(values), now_(now) {
    for (int t = 16; t <= now; t += 17) units_.push_back(ScaleAt(t));
    errors_ = ErrorsAt(now);
    if (const int probe = (now + 1) / 17 * 17 - 1; probe > 0) Choose(ErrorsAt(probe));
  }

  double Scale() const { return ScaleAt(now_); }

  std::vector<double> Numbers() const {
    std::vector<double> numbers;
    for (int lag : {first_, second_}) {
      const std::vector<double> scores = Scores(errors_);
      const size_t i = IndexOf(lag);
      const bool exists = lag > 0;
      numbers.push_back(exists ? std::log(errors_[i] + 0.01) : 0);
      numbers.push_back(exists ? std::log((errors_[i] + 0.01) / (errors_[0] + 0.01)) : 0);
      numbers.push_back(exists ? scores[i] : 0);
      numbers.push_back(exists ? std::log(lag) / 7 : 0);
      numbers.push_back(exists);
    }
    numbers.push_back(std::isnan(errors_[0]) ? 0 : std::log(errors_[0] + 0.01));
    for (int source = 1; source < 4; ++source) {
      for (int count : {48, 12}) numbers.push_back(LogMeanSize(source, count));
    }
    return numbers;
  }

  // On the series' own scale. REQUIRES: `ahead` >= 1.
  double Source(int source, int ahead) const {
    const int lag = LagOf(source);
    if (lag == 0) return Last();
    int t = now_ + ahead;
    while (t > now_) t -= lag;
    return source == 2 ? MeanBack(t, lag) : Back(t, lag);
  }

  // The residual; NaN where missing.
  double Residual(int source, int age) const {
    const int lag = LagOf(source), t = now_ - age;
    if (lag == 0) return kNone;
    return At(t) - (source == 2 ? MeanBack(t - lag, lag) : At(t - lag));
  }

  int first() const { return first_; }
  int second() const { return second_; }

 private:
  double At(int t) const { return t < 0 ? kNone : values_[t]; }

  int LagOf(int source) const { return source == 0 ? 0 : source == 3 ? second_ : first_; }

  static size_t IndexOf(int lag) {
    return std::find(season::kLags.begin(), season::kLags.end(), lag) - season::kLags.begin();
  }

  double Last() const {
    int t = now_;
    while (std::isnan(At(t))) --t;
    return At(t);
  }

  double Back(int t, int lag) const {
    while (t >= 0 && std::isnan(At(t))) t -= lag;
    return At(t);
  }

  double MeanBack(int t, int lag) const {
    double sum = 0, count = 0;
    for (int season = 0; season < 4; ++season) {
      const double value = At(t - season * lag);
      if (!std::isnan(value)) sum += value, ++count;
    }
    return count > 0 ? sum / count : Back(t, lag);
  }

  // The encoder's own scale without seasons, which has other tests.
  double ScaleAt(int t) const {
    package::ForecasterConfig config = Seasonal();
    config.seasons = false;
    const torch::Tensor crop = torch::tensor(values_, torch::kFloat64).unsqueeze(0);
    return Encode(config, crop, {t}, torch::kFloat64).scale.item<double>();
  }

  // The errors after token `end`, by lag of the bank; NaN where not believed.
  std::vector<double> ErrorsAt(int end) const {
    std::vector<double> errors;
    for (int lag : season::kLags) {
      const int first = std::max(lag, 17);
      double mean = kNone;
      for (int t = first; t <= end; ++t) {
        const double error = std::min(4.0, std::abs(At(t) - At(t - lag)) / units_[t / 17 - 1]);
        if (std::isnan(At(t) - At(t - lag))) continue;
        mean = std::isnan(mean) ? error : mean + (error - mean) / std::min(t - first + 1, 1500);
      }
      errors.push_back(end - first + 1 >= std::max(8, lag / 2) ? mean : kNone);
    }
    return errors;
  }

  static std::vector<double> Scores(const std::vector<double>& errors) {
    std::vector<double> scores(season::kLagCount, kNone);
    for (size_t i = season::kFirstSeason; i < season::kLagCount; ++i) {
      double sum = 0, count = 0;
      for (size_t j = 0; j < i; ++j) {
        if (!std::isnan(errors[j])) sum += errors[j], ++count;
      }
      const double octave = std::floor(std::log2(season::kLags[i] / 4.0)),
                   part = season::kLags[i] / 4.0 / std::exp2(octave) - 1;
      const bool less_beside = errors[i - 1] < errors[i] || (i + 1 < season::kLagCount && errors[i + 1] < errors[i]);
      scores[i] = (errors[i] / (sum / count) + 1e-3) * (1 + 0.02 * (octave + part)) + (less_beside ? 0.15 : 0);
    }
    return scores;
  }

  void Choose(const std::vector<double>& errors) {
    const std::vector<double> scores = Scores(errors);
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = season::kFirstSeason; i < season::kLagCount; ++i) {
      if (scores[i] < least) least = scores[i], first_ = season::kLags[i];
    }
    if (first_ == 0) return;
    least = std::numeric_limits<double>::infinity();
    for (size_t i = season::kFirstSeason; i < season::kLagCount; ++i) {
      const bool same = std::abs(season::kLags[i] - first_) <= 0.07 * first_;
      const bool multiple = season::kLags[i] % first_ == 0 && season::kLags[i] != 7 * first_;
      if (scores[i] < least && !same && !multiple) least = scores[i], second_ = season::kLags[i];
    }
  }

  double LogMeanSize(int source, int count) const {
    double sum = 0, present = 0;
    for (int age = 0; age < count; ++age) {
      const double residual = Residual(source, age) / Scale();
      if (!std::isnan(residual)) sum += std::abs(residual), ++present;
    }
    return present > 0 ? std::log(sum / present + 0.01) : 0;
  }

  const std::vector<double>& values_;
  const int now_;
  std::vector<double> units_;  // by probe
  std::vector<double> errors_;
  int first_ = 0, second_ = 0;
};

class SeasonalEncodeTest : public testing::TestWithParam<int> {
 protected:
  SeasonalEncodeTest()
      : values_(Series()),
        plain_(values_, GetParam()),
        encoding_(Encode(Seasonal(), torch::tensor(values_, torch::kFloat64).unsqueeze(0), {3, GetParam()},
                         torch::kFloat64)) {}

  const std::vector<double> values_;
  const Plain plain_;
  const Encoding encoding_;
};

TEST_P(SeasonalEncodeTest, NumbersAreThoseOfThePlainComputation) {
  const package::ForecasterConfig config = Seasonal();
  const std::vector<double> expected = plain_.Numbers();
  ASSERT_EQ(encoding_.features.size(-1), config.ring + 6 + 17);
  for (size_t i = 0; i < expected.size(); ++i) {
    const double number = encoding_.features[0][1][config.ring + 6 + static_cast<int64_t>(i)].item<double>();
    EXPECT_NEAR(number, expected[i], 2 * kMeanRounding)
        << i << " with seasons " << plain_.first() << ", " << plain_.second();
  }
}

TEST_P(SeasonalEncodeTest, SourcesAreThoseOfThePlainComputation) {
  const double center = encoding_.center[0][1].item<double>(), scale = encoding_.scale[0][1].item<double>();
  for (int source = 0; source < 4; ++source) {
    for (int step = 1; step <= 30; ++step) {
      const double expected = (plain_.Source(source, step) - center) / scale;
      EXPECT_NEAR(encoding_.sources[0][1][source][step - 1].item<double>(), expected, 1e-4) << source << " " << step;
    }
  }
}

TEST_P(SeasonalEncodeTest, ResidualsAreThoseOfThePlainComputation) {
  for (int source = 1; source < 4; ++source) {
    for (int age = 0; age < 24; ++age) {
      const double residual = plain_.Residual(source, age);
      const double expected = std::isnan(residual) ? 0 : residual / plain_.Scale();
      EXPECT_NEAR(encoding_.residuals[0][1][source - 1][age].item<double>(), expected, 1e-4) << source << " " << age;
    }
  }
}

// The tokens are before the first probe, at a probe, soon after, at a missing value, and the last.
INSTANTIATE_TEST_SUITE_P(Tokens, SeasonalEncodeTest, testing::Values(12, 50, 61, 449, 899));

TEST(SeasonalEncodeOnceTest, SeriesOfTheseTestsHasTwoSeasons) {
  const std::vector<double> values = Series();
  const Plain plain(values, 899);
  EXPECT_EQ(plain.first(), 168);
  EXPECT_NE(plain.second(), 0);
}

TEST(SeasonalEncodeOnceTest, OtherFeaturesStayAsTheyAre) {
  package::ForecasterConfig without = Seasonal();
  without.seasons = false;
  const torch::Tensor values = torch::tensor(Series(), torch::kFloat64).unsqueeze(0);
  const Encoding plain = Encode(without, values, {40, 500}, torch::kFloat32);
  const Encoding seasonal = Encode(Seasonal(), values, {40, 500}, torch::kFloat32);
  EXPECT_TRUE(torch::equal(seasonal.features.narrow(-1, 0, 66), plain.features));
  EXPECT_FALSE(plain.sources.defined());
  EXPECT_EQ(seasonal.sources.scalar_type(), torch::kFloat32);
}

TEST(SeasonalEncodeOnceTest, NothingSeenIsFinite) {
  const torch::Tensor values = torch::full({1, 40}, kNone, torch::kFloat64);
  const Encoding encoding = Encode(Seasonal(), values, {0, 39}, torch::kFloat64);
  EXPECT_TRUE(encoding.features.isfinite().all().item<bool>());
  EXPECT_TRUE(encoding.sources.isfinite().all().item<bool>());
}

}  // namespace
}  // namespace aaren::nn
