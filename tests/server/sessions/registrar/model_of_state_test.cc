// Stored sessions after a change of one kind's bits.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/engine/engine.h"
#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/session/record.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::registrar {
namespace {

class ModelOfStateTest : public testing::Test {
 protected:
  ModelOfStateTest() {
    for (const char* kind : package::kKinds) {
      package::ModelPackage package;
      package.kind = package.name = package.digest = kind;
      package.config = shard::FakeEngine::Config();
      EXPECT_TRUE(models_.Add(package, std::make_unique<shard::FakeEngine>()).ok());
    }
  }

  // The message that refuses a session stored under `numerics`; empty if the session is accepted.
  std::string RefusalOf(const char* kind, uint32_t numerics) const {
    const store::SessionOrigin origin = {kind, kind, "exact", numerics, 1};
    const session::Outcome<models::ModelRef> outcome = ModelOfState(models_, "s", origin);
    return outcome.refusal ? std::string(outcome.refusal->status.message()) : "";
  }

  models::ModelTable models_;
};

TEST_F(ModelOfStateTest, SessionsOfThisServerAreItsOwn) {
  for (const char* kind : package::kKinds) {
    const session::Outcome<models::ModelRef> outcome =
        ModelOfState(models_, "s", session::OriginOf(**models_.Find(kind), 1));
    ASSERT_FALSE(outcome.refusal) << outcome.refusal->status;
    EXPECT_EQ(outcome.value->package.kind, kind);
  }
}

TEST_F(ModelOfStateTest, EachKindHasANumberOfItsOwn) {
  for (const char* kind : package::kKinds) EXPECT_EQ(RefusalOf(kind, engine::NumericsVersion(kind)), "") << kind;
}

TEST_F(ModelOfStateTest, ANumberOfAnotherKindIsRefused) {
  ASSERT_NE(engine::kForecasterNumerics, engine::kClassificationNumerics);
  EXPECT_EQ(RefusalOf(package::kForecaster, engine::kClassificationNumerics),
            absl::StrCat("session 's' has numerics version '", engine::kClassificationNumerics, "', here it is '",
                         engine::kForecasterNumerics, "'"));
}

}  // namespace
}  // namespace aaren::registrar
