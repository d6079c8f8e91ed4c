#include "server/net/rpc/streams/shared_bytes.h"

#include <gtest/gtest.h>

namespace aaren::rpc {
namespace {

TEST(SharedBytesTest, AStreamMayTakeHalfOfTheFreeBytes) {
  SharedBytes bytes(1000);
  EXPECT_EQ(bytes.half_of_free(), 500u);
  bytes.Take(500);
  EXPECT_EQ(bytes.half_of_free(), 250u);
  bytes.Give(500);
  EXPECT_EQ(bytes.half_of_free(), 500u);
}

TEST(SharedBytesTest, NothingIsFreeBeyondTheLimit) {
  SharedBytes bytes(1000);
  bytes.Take(1500);
  EXPECT_EQ(bytes.half_of_free(), 0u);
}

TEST(SharedBytesTest, TellsTheLevel) {
  counters::Counter level;
  SharedBytes bytes(1000, &level);
  bytes.Take(700);
  bytes.Give(300);
  EXPECT_EQ(level.value(), 400u);
}

}  // namespace
}  // namespace aaren::rpc
