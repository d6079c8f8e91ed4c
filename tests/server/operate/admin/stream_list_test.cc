#include "server/operate/admin/stream_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "tests/server/operate/admin/admin_serving.h"

namespace aaren::admin {
namespace {

class StreamListTest : public AdminServing {
 protected:
  StreamListTest() {
    rpc::ServerOptions options = Options();
    options.shards = 2;
    Start(options);
    StartAdmin();
  }
  ~StreamListTest() override { streams_.clear(); }

  rpc::TestStream& NewStream() {
    streams_.push_back(std::make_unique<rpc::TestStream>(NewChannel()));
    streams_.back()->Greet();
    return *streams_.back();
  }

  grpc::Status List(uint32_t page_size, const std::string& page_token, v1::ListStreamsResponse& response) const {
    v1::ListStreamsRequest request;
    request.set_page_size(page_size);
    request.set_page_token(page_token);
    return Ask(&Stub::ListStreams, request, response);
  }

  // All streams, in pages of `page_size`.
  std::vector<v1::StreamInfo> All(uint32_t page_size) const {
    std::vector<v1::StreamInfo> all;
    v1::ListStreamsResponse page;
    do {
      const std::string token = page.next_page_token();
      EXPECT_TRUE(List(page_size, token, page).ok());
      EXPECT_LE(page.streams_size(), static_cast<int>(page_size));
      all.insert(all.end(), page.streams().begin(), page.streams().end());
    } while (!page.next_page_token().empty());
    return all;
  }

  std::vector<std::unique_ptr<rpc::TestStream>> streams_;
};

TEST_F(StreamListTest, NoStreamIsAnEmptyPage) { EXPECT_TRUE(All(10).empty()); }

TEST_F(StreamListTest, TellsWhoseItIsAndWhatItHas) {
  rpc::TestStream& stream = NewStream();
  stream.Open(0, "a");
  stream.Open(1, "b");
  ASSERT_EQ(All(10).size(), 1u);
  const v1::StreamInfo info = All(10)[0];
  EXPECT_THAT(info.peer(), testing::MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]*"));
  EXPECT_EQ(info.tenant(), "default");
  EXPECT_EQ(info.role(), "admin");
  EXPECT_EQ(info.sessions(), 2u);
  EXPECT_EQ(info.unread_bytes(), 0u);
  EXPECT_TRUE(info.reading());
}

TEST_F(StreamListTest, PagesHaveEachStreamOfEachShardOnce) {
  for (int i = 0; i < 7; ++i) NewStream();
  for (const uint32_t page_size : {1u, 3u, 7u, 8u}) {
    std::set<std::string> peers;
    std::set<uint32_t> shards;
    const std::vector<v1::StreamInfo> all = All(page_size);
    EXPECT_EQ(all.size(), 7u);
    for (const v1::StreamInfo& stream : all) {
      peers.insert(stream.peer());
      shards.insert(stream.shard());
    }
    EXPECT_EQ(peers.size(), 7u);
    EXPECT_EQ(shards.size(), 2u);
  }
}

TEST_F(StreamListTest, StreamsThatHaveEndedAreGone) {
  NewStream();
  NewStream().HalfClose();
  EXPECT_TRUE(streams_.back()->Finish().ok());
  EXPECT_TRUE(Eventually([this] { return All(10).size() == 1; }));
}

TEST_F(StreamListTest, BadPagesAreRefused) {
  v1::ListStreamsResponse response;
  EXPECT_EQ(List(201, "", response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(List(10, "banana", response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace aaren::admin
