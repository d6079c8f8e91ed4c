#include "server/accept/host_places.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace aaren::accept {
namespace {

class HostPlacesTest : public testing::Test {
 protected:
  void Add(const std::string& host, int count) {
    for (int i = 0; i < count; ++i) AddOne(host);
  }
  void AddOne(const std::string& host) {
    places_.Add(host, ++last_);
    hosts_.emplace(last_, host);
  }

  // Whose place `host` has now, if it has one.
  std::optional<std::string> Gain(const std::string& host) {
    const std::optional<uint64_t> number = places_.WhoGivesWayTo(host, now_);
    if (!number) return std::nullopt;
    const std::string loser = hosts_.at(*number);
    places_.Remove(loser, *number);
    AddOne(host);
    return loser;
  }

  absl::Time now_ = absl::UnixEpoch();
  uint64_t last_ = 0;
  std::map<uint64_t, std::string> hosts_;
  HostPlaces places_;
};

TEST_F(HostPlacesTest, NewestOfTheHostThatHasMostGivesWay) {
  Add("a", 3);
  Add("b", 5);  // 4 to 8
  Add("c", 4);
  EXPECT_EQ(places_.WhoGivesWayTo("d", now_), 8u);
  EXPECT_EQ(places_.WhoHasMoreThan("d"), "b");
}

TEST_F(HostPlacesTest, NobodyGivesWayToWhoWouldThenHaveMore) {
  Add("a", 3);
  Add("b", 2);
  EXPECT_EQ(places_.WhoGivesWayTo("b", now_), std::nullopt);
  EXPECT_EQ(places_.WhoGivesWayTo("a", now_), std::nullopt);
  EXPECT_EQ(places_.WhoHasMoreThan("b"), std::nullopt);
}

TEST_F(HostPlacesTest, NobodyGivesWayWhereNobodyIs) { EXPECT_EQ(places_.WhoGivesWayTo("a", now_), std::nullopt); }

TEST_F(HostPlacesTest, WhoGainsAndKeepsNothingGainsNoMoreForAMinute) {
  Add("a", 100);
  int gained = 0;
  for (int i = 0; i < 50; ++i) gained += places_.WhoGivesWayTo("b", now_).has_value();
  EXPECT_EQ(gained, 10);
  EXPECT_TRUE(places_.WhoGivesWayTo("c", now_).has_value());
  now_ += absl::Minutes(1);
  EXPECT_TRUE(places_.WhoGivesWayTo("b", now_).has_value());
}

TEST_F(HostPlacesTest, WhoKeepsWhatItGainsGainsItsShare) {
  Add("a", 100);
  for (int i = 1; i <= 49; ++i) ASSERT_EQ(Gain("b"), "a") << i;
}

TEST_F(HostPlacesTest, HundredHostsThatAskForMoreThanTheirShareHaveEqualShares) {
  Add("0", 1000);
  std::map<std::string, int> places = {{"0", 1000}};
  for (int round = 1; round <= 15; ++round) {
    for (int i = 1; i < 100; ++i) {
      const std::string host = absl::StrCat(i);
      const std::optional<std::string> loser = Gain(host);
      if (!loser.has_value()) continue;
      --places[*loser];
      ++places[host];
    }
  }
  EXPECT_EQ(places_.size(), 1000u);
  for (const auto& [host, count] : places) EXPECT_EQ(count, 10) << host;
}

}  // namespace
}  // namespace aaren::accept
