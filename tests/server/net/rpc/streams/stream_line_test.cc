#include "server/net/rpc/streams/stream_line.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/server/net/rpc/streams/some_streams.h"

namespace aaren::rpc {
namespace {

TEST(StreamLineTest, StreamsComeInOrderOfArrival) {
  SomeStreams streams;
  StreamLine line;
  StreamLine::Place first(streams[0]), second(streams[1]);
  second.Join(line);
  first.Join(line);
  EXPECT_EQ(line.Next(), &streams[1]);
  EXPECT_EQ(line.Next(), &streams[0]);
  EXPECT_TRUE(line.empty());
}

TEST(StreamLineTest, AStreamStandsInLineOnce) {
  SomeStreams streams;
  StreamLine line;
  StreamLine::Place place(streams[0]);
  place.Join(line);
  place.Join(line);
  EXPECT_EQ(line.size(), 1u);
}

TEST(StreamLineTest, AStreamMayJoinAgainAfterItsTurn) {
  SomeStreams streams;
  StreamLine line;
  StreamLine::Place place(streams[0]);
  place.Join(line);
  line.Next();
  EXPECT_FALSE(place.in_line());
  place.Join(line);
  EXPECT_EQ(line.Next(), &streams[0]);
}

TEST(StreamLineTest, AStreamThatGoesLeavesAGap) {
  SomeStreams streams;
  StreamLine line;
  std::optional<StreamLine::Place> going(streams[0]);
  StreamLine::Place staying(streams[1]);
  going->Join(line);
  staying.Join(line);
  going.reset();
  EXPECT_EQ(line.Next(), nullptr);
  EXPECT_EQ(line.Next(), &streams[1]);
}

}  // namespace
}  // namespace aaren::rpc
