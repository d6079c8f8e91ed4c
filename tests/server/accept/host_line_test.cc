#include "server/accept/host_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace aaren::accept {
namespace {

class HostLineTest : public testing::Test {
 protected:
  std::vector<uint64_t> All() {
    std::vector<uint64_t> all;
    while (const std::optional<uint64_t> next = line_.Next()) all.push_back(*next);
    return all;
  }

  HostLine line_;
};

TEST_F(HostLineTest, OfOneHostGoInTheirOrder) {
  for (const uint64_t number : {3, 1, 2}) line_.Add("a", number);
  EXPECT_EQ(All(), (std::vector<uint64_t>{1, 2, 3}));
}

TEST_F(HostLineTest, HostsTakeTurnsHoweverManyOneHas) {
  for (const uint64_t number : {1, 2, 3, 4}) line_.Add("many", number);
  line_.Add("few", 5);
  line_.Add("few", 6);
  EXPECT_EQ(All(), (std::vector<uint64_t>{1, 5, 2, 6, 3, 4}));
}

TEST_F(HostLineTest, OneThatComesAgainKeepsItsPlace) {
  for (const uint64_t number : {1, 2, 1}) line_.Add("a", number);
  EXPECT_EQ(All(), (std::vector<uint64_t>{1, 2}));
}

TEST_F(HostLineTest, OneThatWasRemovedDoesNotCome) {
  line_.Add("a", 1);
  line_.Add("b", 2);
  line_.Remove("a", 1);
  line_.Remove("a", 7);  // never added
  EXPECT_EQ(All(), (std::vector<uint64_t>{2}));
}

TEST_F(HostLineTest, IsEmptyOnceAllHaveGone) {
  line_.Add("a", 1);
  line_.Add("a", 2);
  line_.Remove("a", 2);
  EXPECT_FALSE(line_.empty());
  line_.Next();
  EXPECT_TRUE(line_.empty());
}

TEST_F(HostLineTest, HostThatComesBackTakesItsTurn) {
  line_.Add("a", 1);
  line_.Remove("a", 1);
  line_.Add("a", 2);
  line_.Add("b", 3);
  EXPECT_EQ(All(), (std::vector<uint64_t>{2, 3}));
}

}  // namespace
}  // namespace aaren::accept
