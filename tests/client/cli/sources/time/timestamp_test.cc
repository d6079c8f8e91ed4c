#include "client/cli/sources/time/timestamp.h"

#include <gtest/gtest.h>

namespace aaren::cli {
namespace {

TEST(TimestampTest, FormatsAsRfc3339InUtc) {
  EXPECT_EQ(FormatTimestamp(1'706'702'400'250'000'000), "2024-01-31T12:00:00.250Z");
}

}  // namespace
}  // namespace aaren::cli
