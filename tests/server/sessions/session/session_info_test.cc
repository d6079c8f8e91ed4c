#include "server/sessions/session/session_info.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/server/sessions/shard/world/fake_engine.h"
#include "tests/server/sessions/shard/world/test_clock.h"

namespace aaren::session {
namespace {

class SessionInfoTest : public testing::Test {
 protected:
  SessionInfoTest() {
    package::ModelPackage package;
    package.kind = package::kClassification;
    package.name = "moves";
    package.digest = "digest";
    package.classifier = {.steps = 5, .classes = {"rest", "run"}, .means = {1, 2, 3}, .deviations = {1, 1, 1}};
    EXPECT_TRUE(models_.Add(package, std::make_unique<shard::FakeEngine>()).ok());
    record_.key = "/s";
    record_.origin.package_digest = "digest";
    record_.origin.tier = "exact";
    record_.origin.channels = 1;
  }

  SessionInfo Info() const { return InfoOf(record_, models_, clock_); }

  models::ModelTable models_;
  store::SessionRecord record_;
  const shard::TestClock clock_;
};

TEST_F(SessionInfoTest, ClassifiersSessionHasTheChannelsOfATokenInOneRow) {
  EXPECT_EQ(Info().channels, 3u);
  EXPECT_EQ(Info().state_bytes, shard::FakeEngine().row_bytes());
}

TEST_F(SessionInfoTest, SessionOfAModelThatIsNotLoadedHasTheChannelsOfItsRecord) {
  record_.origin.package_digest = "another";
  EXPECT_EQ(Info().channels, 1u);
  EXPECT_EQ(Info().state_bytes, 0u);
}

TEST_F(SessionInfoTest, OriginIsTheRecordsWhateverTheModelsNumericsAre) {
  record_.origin.numerics_version = 1234;
  EXPECT_EQ(Info().origin.numerics_version, 1234u);
}

}  // namespace
}  // namespace aaren::session
