#include "server/net/rpc/operations.h"

#include <gtest/gtest.h>

namespace aaren::rpc {
namespace {

TEST(OperationsTest, NoneIsLeftOnceEachHasEnded) {
  Operations operations{Operations::kFinish};
  operations.Begin(Operations::kRead);
  operations.End(Operations::kFinish);
  EXPECT_FALSE(operations.none());
  operations.End(Operations::kRead);
  EXPECT_TRUE(operations.none());
}

TEST(OperationsTest, AnOperationMayComeAgain) {
  Operations operations{};
  for (int i = 0; i < 2; ++i) {
    operations.Begin(Operations::kWrite);
    EXPECT_TRUE(operations.has_io());
    operations.End(Operations::kWrite);
    EXPECT_FALSE(operations.has_io());
  }
}

TEST(OperationsTest, OneThatHasEndedAlreadyChangesNothing) {
  Operations operations{Operations::kOver};
  operations.End(Operations::kRead);
  EXPECT_TRUE(operations.has(Operations::kOver));
}

}  // namespace
}  // namespace aaren::rpc
