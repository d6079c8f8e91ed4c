// The answers of Admin's calls about known sessions, and the addresses of the service.

#include "server/operate/admin/admin_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/server/operate/admin/admin_serving.h"

namespace aaren::admin {
namespace {

using ::grpc::StatusCode;
using ::testing::HasSubstr;

// Sessions "a", "b" and "c" of a stream, with a token each; "b" was closed.
class AdminServerTest : public AdminServing {
 protected:
  AdminServerTest() : stream_(std::make_unique<rpc::TestStream>(NewChannel())) {
    stream_->Greet();
    for (const auto& [handle, id] : std::vector<std::pair<uint32_t, std::string>>{{0, "a"}, {1, "b"}, {2, "c"}}) {
      stream_->Open(handle, id);
      stream_->Send(rpc::TokensItem(handle, 0, {1}));
      stream_->Receive();
    }
    stream_->Send(rpc::CloseItem(1));
    stream_->Receive();
    StartAdmin();
  }
  ~AdminServerTest() override { stream_.reset(); }

  v1::ListTenantSessionsResponse Sessions(const std::string& tenant, uint32_t page_size = 0,
                                          const std::string& page_token = "") const {
    v1::ListTenantSessionsRequest request;
    request.set_tenant(tenant);
    request.set_page_size(page_size);
    request.set_page_token(page_token);
    v1::ListTenantSessionsResponse response;
    const grpc::Status status = Ask(&Stub::ListTenantSessions, request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  std::unique_ptr<rpc::TestStream> stream_;
};

TEST_F(AdminServerTest, SettingsAreThoseThatHold) {
  v1::GetSettingsResponse response;
  ASSERT_TRUE(Ask(&Stub::GetSettings, v1::GetSettingsRequest(), response).ok());
  EXPECT_EQ(response.settings_size(), config::ServerConfig::descriptor()->field_count());
}

TEST_F(AdminServerTest, ShardsTellTheirSessionsAndRows) {
  EXPECT_TRUE(Eventually([this] { return Shards().shards(0).sessions_resting() == 1; }));
  const v1::ShardInfo shard = Shards().shards(0);
  EXPECT_EQ(shard.sessions_attached(), 2u);
  EXPECT_EQ(shard.sessions_demoted(), 0u);
  EXPECT_EQ(shard.streams(), 1u);
  EXPECT_EQ(shard.slice_tokens(), 1u);
  ASSERT_EQ(shard.rows_size(), 1);
  EXPECT_EQ(shard.rows(0).model(), "sum:1");
  EXPECT_EQ(shard.rows(0).used(), 3u);
  EXPECT_EQ(shard.rows(0).free(), Options().shard.capacity_rows - 3);
  EXPECT_EQ(shard.rows(0).row_bytes(), 64u);
}

TEST_F(AdminServerTest, SessionsOfATenantAreThoseThatAreHere) {
  const v1::ListTenantSessionsResponse page = Sessions("default");
  ASSERT_EQ(page.sessions_size(), 3);
  EXPECT_EQ(page.sessions(0).session().session_id(), "a");
  EXPECT_EQ(page.sessions(0).session().next_seq(), 1u);
  EXPECT_TRUE(page.sessions(0).session().attached());
  EXPECT_EQ(page.sessions(1).session().session_id(), "b");
  EXPECT_FALSE(page.sessions(1).session().attached());
  EXPECT_TRUE(page.next_page_token().empty());
}

TEST_F(AdminServerTest, AnotherTenantHasNone) { EXPECT_EQ(Sessions("acme").sessions_size(), 0); }

TEST_F(AdminServerTest, SessionsComePageByPage) {
  std::string token, ids;
  do {
    const v1::ListTenantSessionsResponse page = Sessions("default", 2, token);
    ids += '|';
    for (const v1::LiveSession& session : page.sessions()) ids += session.session().session_id();
    token = page.next_page_token();
  } while (!token.empty());
  EXPECT_EQ(ids, "|ab|c");
}

TEST_F(AdminServerTest, WhatIsNoTenantIsNamed) {
  v1::ListTenantSessionsRequest request;
  request.set_tenant("default/a");
  v1::ListTenantSessionsResponse response;
  const grpc::Status status = Ask(&Stub::ListTenantSessions, request, response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("default/a"));
}

TEST_F(AdminServerTest, ThePublicAddressHasNoneOfThis) {
  grpc::ClientContext context;
  v1::ListShardsResponse response;
  const grpc::Status status = v1::Admin::NewStub(NewChannel())->ListShards(&context, {}, &response);
  EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
}

TEST_F(AdminServerTest, OfTwoProfilesOnlyOneIsTaken) {
  v1::ProfileRequest request;
  request.set_seconds(1);
  std::atomic<int> taken{0}, refused{0};
  const auto ask = [&] {
    v1::ProfileResponse response;
    const StatusCode code = Ask(&Stub::Profile, request, response).error_code();
    if (code == StatusCode::OK) ++taken;
    if (code == StatusCode::RESOURCE_EXHAUSTED) ++refused;
  };
  std::thread other(ask);
  ask();
  other.join();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(refused, 1);
}

TEST_F(AdminServerTest, AProfileWhoseCallerHasGoneKeepsNobodyWaiting) {
  v1::ProfileRequest request;
  request.set_seconds(30);
  v1::ProfileResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(500));
  EXPECT_EQ(v1::Admin::NewStub(channel_)->Profile(&context, request, &response).error_code(),
            StatusCode::DEADLINE_EXCEEDED);
  request.set_seconds(1);
  EXPECT_TRUE(Eventually([&] { return Ask(&Stub::Profile, request, response).ok(); }));
}

TEST_F(AdminServerTest, AProfileThatIsTooLongIsRefused) {
  v1::ProfileRequest request;
  request.set_seconds(31);
  v1::ProfileResponse response;
  EXPECT_EQ(Ask(&Stub::Profile, request, response).error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST_F(AdminServerTest, AProfileEndsWithTheServer) {
  v1::ProfileRequest request;
  request.set_seconds(30);
  grpc::Status status;
  std::thread asking([&] {
    v1::ProfileResponse response;
    status = Ask(&Stub::Profile, request, response);
  });
  EXPECT_TRUE(Eventually([] {
    itimerval timer{};
    return getitimer(ITIMER_PROF, &timer) == 0 && timer.it_interval.tv_usec > 0;
  }));
  admin_->Stop();
  asking.join();
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(AdminServerTest, AUnixSocketIsAnAddress) {
  const std::string path = absl::StrCat("unix:", testing::TempDir(), "/admin_", getpid());
  admin_.reset();
  config_.set_admin_address(path);
  StartAdmin();
  EXPECT_EQ(admin_->address(), path);
  EXPECT_EQ(Shards().shards_size(), 1);
}

TEST_F(AdminServerTest, AddressesThatCannotBeAreNamed) {
  for (const std::string& address : {admin_->address(), server().address(), std::string("unix:/nowhere/admin")}) {
    config::ServerConfig config;
    config.set_admin_address(address);
    const absl::Status status = AdminServer::Start({}, config, server(), models_).status();
    EXPECT_THAT(std::string(status.message()), testing::StartsWith("admin_address: ")) << address;
    EXPECT_THAT(std::string(status.message()), HasSubstr(address));
  }
}

}  // namespace
}  // namespace aaren::admin
