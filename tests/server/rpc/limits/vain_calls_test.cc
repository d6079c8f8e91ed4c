#include "server/rpc/limits/vain_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace aaren::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class VainCallsTest : public testing::Test {
 protected:
  void Note(const std::string& peer, int times) {
    for (int i = 0; i < times; ++i) vain_.Note(peer);
  }

  std::vector<std::string> ended_;
  VainCalls vain_{40, [this](absl::string_view peer) { ended_.emplace_back(peer); }};
};

TEST_F(VainCallsTest, ConnectionThatHasTooManyIsEndedOnce) {
  Note("ipv4:1.1.1.1:1", 39);
  EXPECT_THAT(ended_, IsEmpty());
  Note("ipv4:1.1.1.1:1", 5);
  EXPECT_THAT(ended_, ElementsAre("ipv4:1.1.1.1:1"));
}

TEST_F(VainCallsTest, EachSecondIsItsOwn) {
  for (int i = 0; i < 20; ++i) {
    Note("ipv4:1.1.1.1:1", 39);
    vain_.Forget();
  }
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(VainCallsTest, OfAHostThatHasManyInAllEachIsEndedAtItsNext) {
  for (int port = 1; port <= 7; ++port) Note(absl::StrCat("ipv4:1.1.1.1:", port), 10);
  EXPECT_THAT(ended_, IsEmpty());
  Note("ipv4:1.1.1.1:16", 10);
  Note("ipv4:1.1.1.1:2", 1);
  Note("ipv4:2.2.2.2:1", 10);
  EXPECT_THAT(ended_, ElementsAre("ipv4:1.1.1.1:16", "ipv4:1.1.1.1:2"));
}

TEST_F(VainCallsTest, WhoHasFewIsNotEndedForItsNeighbours) {
  for (int port = 1; port <= 30; ++port) Note(absl::StrCat("ipv4:1.1.1.1:", port), 10);
  ended_.clear();
  Note("ipv4:1.1.1.1:99", 1);
  EXPECT_THAT(ended_, IsEmpty());
}

}  // namespace
}  // namespace aaren::rpc
