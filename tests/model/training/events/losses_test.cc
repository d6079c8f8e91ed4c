// The losses of one token, and their gradients, against differences and against the engine's own words.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/engine/events/outlook.h"
#include "model/training/events/mark_loss.h"
#include "model/training/events/time_loss.h"

namespace aaren::training {
namespace {

constexpr float kDifference = 1e-2f;

std::vector<float> Numbers(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(random() >> 40) * 0x1p-23f - 1;
  return numbers;
}

// A slope of `loss` at a number, by the difference of fourth order.
template <class Loss>
double Slope(float& number, const Loss& loss) {
  const float before = number;
  const auto at = [&](float step) {
    number = before + step * kDifference;
    return loss();
  };
  const double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * double{kDifference});
  number = before;
  return slope;
}

EventTarget TimeTarget(double place) {
  EventTarget target = {};
  for (size_t j = 0; j < events::kRing; ++j) {
    target.places.present[j] = j % 3 != 1;
    target.places.ring[j] = target.places.present[j] ? 0.1f * static_cast<float>(j) - 0.6f : 0;
  }
  target.places.after = 0.3f;
  target.places.deviation = 0.8f;
  target.places.intervals = 1e9f;  // the engine draws the long intervals of young sessions in; losses do not
  target.place = place;
  return target;
}

class TimeLossTest : public testing::TestWithParam<double> {};

TEST_P(TimeLossTest, IsTheEnginesDensity) {
  const std::vector<float> numbers = Numbers(1, events::kTimeNumbers);
  std::vector<float> gradient(numbers.size());
  const EventTarget target = TimeTarget(GetParam());
  const events::Outlook outlook = events::OutlookOf(numbers.data(), target.places, 0);
  const double expected = -std::log(1 - double{outlook.tie}) - LogDensity(outlook, std::exp(GetParam()));
  EXPECT_NEAR(TimeLoss(numbers.data(), target, gradient.data()), expected, 1e-5 * (1 + std::abs(expected)));
}

TEST_P(TimeLossTest, GradientIsTheSlope) {
  std::vector<float> numbers = Numbers(2, events::kTimeNumbers), gradient(numbers.size()), unused(numbers.size());
  const EventTarget target = TimeTarget(GetParam());
  TimeLoss(numbers.data(), target, gradient.data());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double slope = Slope(numbers[i], [&] { return TimeLoss(numbers.data(), target, unused.data()); });
    EXPECT_NEAR(gradient[i], slope, 2e-4 * (1 + std::abs(slope))) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, TimeLossTest, testing::Values(-3.0, -0.2, 0.0, 0.7, 3.5));

TEST(TimeLossTest, OfATieIsTheLogarithmOfItsProbability) {
  const std::vector<float> numbers = Numbers(3, events::kTimeNumbers);
  std::vector<float> gradient(numbers.size());
  EventTarget target = TimeTarget(0);
  target.tie = true;
  const double tie = 1 / (1 + std::exp(-double{numbers[events::kTieLogit]}));
  EXPECT_NEAR(TimeLoss(numbers.data(), target, gradient.data()), -std::log(tie), 1e-12);
  EXPECT_NEAR(gradient[events::kTieLogit], tie - 1, 1e-6);
  EXPECT_EQ(std::count(gradient.begin(), gradient.end(), 0.0f), static_cast<int64_t>(gradient.size()) - 1);
}

TEST(TimeLossTest, FarPlacesHaveFiniteLosses) {
  const std::vector<float> numbers = Numbers(4, events::kTimeNumbers);
  std::vector<float> gradient(numbers.size());
  for (const double place : {-90.0, 90.0}) {
    EXPECT_TRUE(std::isfinite(TimeLoss(numbers.data(), TimeTarget(place), gradient.data())));
    for (const float one : gradient) EXPECT_TRUE(std::isfinite(one));
  }
}

// The mark head's numbers of a token with some known marks.
struct MarkSample {
  explicit MarkSample(int64_t known)
      : known(known),
        middle(Numbers(1, known * events::kMarkHidden)),
        inputs(Numbers(2, known * kMarkStride)),
        token(Numbers(3, events::kMarkHidden)),
        line(Numbers(4, kMarkStride)),
        hidden(Numbers(5, events::kMarkHidden)) {
    for (int64_t k = 0; k < known; ++k) inputs[(k + 1) * kMarkStride - 1] = 0;
    line.back() = 0;
  }

  double Loss(int64_t mark) {
    by_middle.assign(middle.size(), 0);
    by_token.assign(token.size(), 0);
    by_line.assign(line.size(), 0);
    by_hidden.assign(hidden.size(), 0);
    MarkGradient gradient = {by_middle.data(), by_token.data(), by_line.data(), by_hidden.data(), 0};
    const MarkForecast forecast = {known,       middle.data(), inputs.data(), token.data(),
                                   line.data(), hidden.data(), fresh};
    const double loss = MarkLoss(forecast, mark, gradient);
    by_fresh = gradient.fresh;
    return loss;
  }

  double LogitOf(int64_t k) const {
    double logit = 0;
    for (size_t j = 0; j < events::kMarkHidden; ++j) {
      const double z = double{middle[k * events::kMarkHidden + j]} + token[j];
      logit += hidden[j] * z / (1 + std::exp(-z));
    }
    for (int64_t j = 0; j < kMarkStride; ++j) logit += double{line[j]} * inputs[k * kMarkStride + j];
    return logit;
  }

  int64_t known;
  std::vector<float> middle, inputs, token, line, hidden;
  float fresh = 0.4f;
  std::vector<float> by_middle, by_token, by_line, by_hidden;
  float by_fresh = 0;
};

TEST(MarkLossTest, IsTheLogarithmOfTheSoftmax) {
  MarkSample sample(9);
  double whole = std::exp(double{sample.fresh});
  for (int64_t k = 0; k < sample.known; ++k) whole += std::exp(sample.LogitOf(k));
  EXPECT_NEAR(sample.Loss(4), std::log(whole) - sample.LogitOf(4), 1e-5);
  EXPECT_NEAR(sample.Loss(9), std::log(whole) - sample.fresh, 1e-5) << "a new mark";
}

class MarkGradientTest : public testing::TestWithParam<int64_t> {};

TEST_P(MarkGradientTest, IsTheSlope) {
  MarkSample sample(6);
  sample.Loss(GetParam());
  const std::pair<std::vector<float>*, std::vector<float>> parts[] = {{&sample.middle, sample.by_middle},
                                                                      {&sample.token, sample.by_token},
                                                                      {&sample.line, sample.by_line},
                                                                      {&sample.hidden, sample.by_hidden}};
  const float by_fresh = sample.by_fresh;
  const auto loss = [&] { return sample.Loss(GetParam()); };
  for (const auto& [numbers, gradient] : parts) {
    for (size_t i = 0; i < numbers->size(); ++i) {
      EXPECT_NEAR(gradient[i], Slope((*numbers)[i], loss), 3e-4) << i;
    }
  }
  EXPECT_NEAR(by_fresh, Slope(sample.fresh, loss), 3e-4);
}

INSTANTIATE_TEST_SUITE_P(KnownAndNew, MarkGradientTest, testing::Values(0, 3, 6));

}  // namespace
}  // namespace aaren::training
