#include "server/net/rpc/streams/stream_table.h"

#include <gtest/gtest.h>

#include "server/net/rpc/limits/connection_limits.h"
#include "tests/server/net/rpc/streams/some_streams.h"

namespace aaren::rpc {
namespace {

TEST(StreamTableTest, NumbersGrowAndAreNotUsedAgain) {
  SomeStreams streams;
  StreamTable table;
  const uint64_t first = table.Add(streams[0], "a:1");
  table.Remove(first, "a:1");
  EXPECT_EQ(table.Add(streams[1], "a:1"), first + 1);
  EXPECT_EQ(table.last_number(), first + 1);
  EXPECT_EQ(table.streams().size(), 1u);
  EXPECT_EQ(table.streams().begin()->second, &streams[1]);
}

TEST(StreamTableTest, AConnectionMayHaveTwiceTheStreamsOfTheSettings) {
  SomeStreams streams;
  StreamTable table;
  uint64_t last = 0;
  for (size_t i = 0; i < 2 * kStreamsOfConnection; ++i) {
    EXPECT_TRUE(table.MayHaveMore("a:1"));
    last = table.Add(streams[0], "a:1");
  }
  EXPECT_FALSE(table.MayHaveMore("a:1"));
  EXPECT_TRUE(table.MayHaveMore("b:1"));
  table.Remove(last, "a:1");
  EXPECT_TRUE(table.MayHaveMore("a:1"));
}

}  // namespace
}  // namespace aaren::rpc
