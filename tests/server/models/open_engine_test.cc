#include "server/models/open_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/engine/random_package.h"

namespace aaren::models {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& name) {
  const absl::Status status = OpenEngine(name, engine::RandomPackage(engine::TinyConfig(), 1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(CheckEngine(name), status);
  return std::string(status.message());
}

TEST(OpenEngineTest, MakesTheEngineOfTheCpu) {
  for (const char* name : {"cpu", "auto"}) {
    const auto engine = OpenEngine(name, engine::RandomPackage(engine::TinyConfig(), 1));
    ASSERT_TRUE(engine.ok()) << engine.status();
    EXPECT_EQ((*engine)->tier(), "exact");
  }
}

TEST(OpenEngineTest, RefusesAnUnknownNameAndTellsThoseThereAre) {
  EXPECT_THAT(ErrorOf("tpu"), HasSubstr("no engine 'tpu'; there is cpu"));
}

TEST(OpenEngineTest, TellsThatCudaIsNotBuilt) {
  EXPECT_THAT(ErrorOf("cuda"), HasSubstr("no CUDA backend; there is cpu"));
}

}  // namespace
}  // namespace aaren::models
