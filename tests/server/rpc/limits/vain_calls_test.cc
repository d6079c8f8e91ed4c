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
  VainCalls vain_{10, [this](absl::string_view peer) { ended_.emplace_back(peer); }};
};

TEST_F(VainCallsTest, ConnectionThatHasTooManyIsEndedOnce) {
  Note("ipv4:1.1.1.1:1", 9);
  EXPECT_THAT(ended_, IsEmpty());
  Note("ipv4:1.1.1.1:1", 5);
  EXPECT_THAT(ended_, ElementsAre("ipv4:1.1.1.1:1"));
}

TEST_F(VainCallsTest, EachSecondIsItsOwn) {
  for (int i = 0; i < 20; ++i) {
    Note("ipv4:1.1.1.1:1", 9);
    vain_.Forget();
  }
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(VainCallsTest, OfAHostThatHasManyInAllEachIsEndedAtItsNext) {
  for (int port = 1; port <= 39; ++port) Note(absl::StrCat("ipv4:1.1.1.1:", port), 1);
  EXPECT_THAT(ended_, IsEmpty());
  Note("ipv4:1.1.1.1:7", 1);
  Note("ipv4:1.1.1.1:8", 1);
  Note("ipv4:2.2.2.2:1", 1);
  EXPECT_THAT(ended_, ElementsAre("ipv4:1.1.1.1:7", "ipv4:1.1.1.1:8"));
}

}  // namespace
}  // namespace aaren::rpc
