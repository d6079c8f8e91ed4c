#include "model/season/thinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace aaren::season {
namespace {

// Values of which place(t) is true, and NaN elsewhere; value t is t.
template <typename Place>
std::vector<float> Series(size_t length, Place place) {
  std::vector<float> values(ValueMemory::kValues, NAN);
  for (size_t t = 0; t < length; ++t) values.push_back(place(t) ? static_cast<float>(t) : NAN);
  return values;
}

Thinning Of(const std::vector<float>& series) { return ThinningOf(&series.back()); }

TEST(ThinningTest, RegularHolesAreFound) {
  for (size_t every : {2, 3, 6, 12, 16}) {
    const Thinning thinning = Of(Series(12 * every + 1, [=](size_t t) { return t % every == 0; }));
    EXPECT_EQ(thinning.every, static_cast<int>(every));
    EXPECT_EQ(thinning.since, 0);
  }
}

TEST(ThinningTest, TokensSinceTheNewestPlaceAreCounted) {
  for (size_t more : {1, 2, 3, 4}) {
    EXPECT_EQ(Of(Series(60 + more, [](size_t t) { return t % 4 == 0; })).since, static_cast<int>((more - 1) % 4));
  }
}

TEST(ThinningTest, AValueMissingAtItsPlaceChangesNothing) {
  const Thinning thinning = Of(Series(200, [](size_t t) { return t % 6 == 1 && t != 187 && t != 199; }));
  EXPECT_EQ(thinning.every, 6);
  EXPECT_EQ(thinning.since, 0);
}

TEST(ThinningTest, OtherHolesAreNotRegular) {
  EXPECT_EQ(Of(Series(200, [](size_t) { return true; })).every, 1);
  EXPECT_EQ(Of(Series(200, [](size_t t) { return t % 7 < 5; })).every, 1);       // weekends
  EXPECT_EQ(Of(Series(200, [](size_t t) { return t * t % 11 < 3; })).every, 1);  // jitter
  EXPECT_EQ(Of(Series(200, [](size_t t) { return t % 6 == 0 || t == 191; })).every, 1);
}

TEST(ThinningTest, FewValuesTellNothing) {
  EXPECT_EQ(Of(Series(40, [](size_t t) { return t % 4 == 0; })).every, 1);
  EXPECT_EQ(Of(Series(1000, [](size_t t) { return t % 20 == 0; })).every, 1);
}

TEST(ThinningTest, OlderValuesBesideThePlacesDoNotCount) {
  EXPECT_EQ(Of(Series(400, [](size_t t) { return t < 370 || t % 2 == 0; })).every, 2);
}

TEST(ThinningTest, PlacesAreThePastWithoutItsHoles) {
  const std::vector<float> series = Series(100, [](size_t t) { return t % 4 == 2; });
  const auto window = std::make_unique<ValueMemory::Window>();
  const Past past{&series.back(), ValueMemory::kValues - 1, kAnywhere};
  const Past places = Thinned(past, Of(series), *window);
  EXPECT_EQ(places.older, (static_cast<int>(ValueMemory::kValues) - 1 - 1) / 4);
  EXPECT_EQ(places.newest[0], 98);
  EXPECT_EQ(places.newest[-24], 2);
  EXPECT_TRUE(std::isnan(places.newest[-25]));
  EXPECT_TRUE(std::isnan(window->values[0]));
}

TEST(ThinningTest, SeasonsAreCountedInPlaces) {
  const Thinning thinning{.every = 4, .since = 1};
  EXPECT_EQ(Thinned(SeasonChoice{96, 18}, thinning), (SeasonChoice{24, 0}));
}

TEST(ThinningTest, AStepWithoutAValueIsForecastAsTheNextValue) {
  const Thinning thinning{.every = 3, .since = 1};
  std::vector<float> numbers = {10, 11, 20, 21, 30, 31, 40, 41, 50, 51};
  Spread(thinning, 5, 2, numbers.data());
  EXPECT_EQ(numbers, std::vector<float>({10, 11, 10, 11, 20, 21, 20, 21, 20, 21}));
}

}  // namespace
}  // namespace aaren::season
