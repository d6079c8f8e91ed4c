#include "server/sessions/registrar/transit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace aaren::registrar {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TransitTest : public testing::Test {
 protected:
  // Enters under a name, and keeps the permit.
  void Enter(char name, size_t bytes) {
    transit_.Enter(bytes, [this, name](Transit::Permit permit) { held_.emplace_back(name, std::move(permit)); });
  }

  void Leave(char name) {
    std::erase_if(held_, [name](const auto& held) { return held.first == name; });
    for (session::Mailbox::Message& message : std::exchange(posted_, {})) message();
  }

  std::vector<char> Held() const {
    std::vector<char> names;
    for (const auto& [name, permit] : held_) names.push_back(name);
    return names;
  }

  std::vector<session::Mailbox::Message> posted_;
  Transit transit_{100, [this](session::Mailbox::Message message) { posted_.push_back(std::move(message)); }};
  std::vector<std::pair<char, Transit::Permit>> held_;
};

TEST_F(TransitTest, WhoFindsRoomGoesOnAtOnce) {
  Enter('a', 60);
  Enter('b', 40);
  EXPECT_THAT(Held(), ElementsAre('a', 'b'));
  EXPECT_EQ(transit_.bytes(), 100u);
}

TEST_F(TransitTest, WhoFindsNoneWaitsUntilOthersHaveLeft) {
  Enter('a', 60);
  Enter('b', 60);
  EXPECT_THAT(Held(), ElementsAre('a'));
  Leave('a');
  EXPECT_THAT(Held(), ElementsAre('b'));
  EXPECT_EQ(transit_.bytes(), 60u);
}

TEST_F(TransitTest, ASmallOneDoesNotOvertakeALargeOneThatWaits) {
  Enter('a', 60);
  Enter('b', 60);
  Enter('c', 10);
  EXPECT_THAT(Held(), ElementsAre('a'));
  Leave('a');
  EXPECT_THAT(Held(), ElementsAre('b', 'c'));
}

TEST_F(TransitTest, WhoNeedsMoreThanThereEverIsGoesAlone) {
  Enter('a', 10);
  Enter('b', 1000);
  Enter('c', 10);
  Leave('a');
  EXPECT_THAT(Held(), ElementsAre('b'));
  Leave('b');
  EXPECT_THAT(Held(), ElementsAre('c'));
}

TEST_F(TransitTest, RoomIsGivenBackWithTheLastCopyOfAPermit) {
  Transit::Permit copy;
  transit_.Enter(100, [&copy](const Transit::Permit& permit) { copy = permit; });
  EXPECT_EQ(transit_.bytes(), 100u);
  copy.reset();
  EXPECT_EQ(transit_.bytes(), 0u);
}

TEST_F(TransitTest, WhoseMessageIsDroppedLeavesToo) {
  Enter('a', 100);
  Enter('b', 100);
  held_.clear();
  posted_.clear();
  EXPECT_EQ(transit_.bytes(), 0u);
  EXPECT_THAT(Held(), IsEmpty());
}

}  // namespace
}  // namespace aaren::registrar
