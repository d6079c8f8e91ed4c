// Sessions and Models: requests, answers as values, and errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aaren/client/models.h"
#include "aaren/client/sessions.h"
#include "aaren/client/status.h"
#include "absl/time/clock.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class SessionsServiceTest : public ::testing::Test {
 protected:
  SessionsServiceTest() {
    server_.Replace("a", 4);
    server_.Replace("b1", 5);
    server_.Replace("b2", 6);
  }

  static std::vector<std::string> Ids(const SessionPage& page) {
    std::vector<std::string> ids;
    for (const SessionInfo& session : page.sessions) ids.push_back(session.id);
    return ids;
  }

  FakeServer server_;
  Sessions sessions_{ServiceOptions{.target = server_.target()}};
};

TEST_F(SessionsServiceTest, GetTellsOfOneSession) {
  const absl::StatusOr<SessionInfo> session = sessions_.Get("b1");
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(session->id, "b1");
  EXPECT_EQ(session->next_seq, 5u);
  EXPECT_EQ(session->model, "sum:3");
  EXPECT_EQ(session->state_bytes, 8u);
  EXPECT_EQ(session->last_active, absl::FromUnixMillis(1700000000123));
}

TEST_F(SessionsServiceTest, ASessionThatIsNotThereIsNotFoundForThatReason) {
  const absl::Status status = sessions_.Get("z").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(status), "SESSION_NOT_FOUND");
  EXPECT_EQ(sessions_.Delete("z").code(), absl::StatusCode::kNotFound);
}

TEST_F(SessionsServiceTest, ListComesInPages) {
  const absl::StatusOr<SessionPage> first = sessions_.List({.page_size = 2});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(Ids(*first), ElementsAre("a", "b1"));
  const absl::StatusOr<SessionPage> second = sessions_.List({.page_size = 2, .page_token = first->next_page_token});
  EXPECT_THAT(Ids(*second), ElementsAre("b2"));
  EXPECT_EQ(second->next_page_token, "");
}

TEST_F(SessionsServiceTest, ListOfAPrefixLeavesTheOthersOut) {
  EXPECT_THAT(Ids(*sessions_.List({.prefix = "b"})), ElementsAre("b1", "b2"));
}

TEST_F(SessionsServiceTest, WhatIsExportedCanBeImported) {
  const absl::StatusOr<Snapshot> snapshot = sessions_.Export("a");
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(snapshot->next_seq, 4u);
  const absl::StatusOr<SessionInfo> copy = sessions_.Import("copy", snapshot->bytes);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->id, "copy");
  EXPECT_EQ(server_.next_seq("copy"), 4u);
}

TEST_F(SessionsServiceTest, ImportTakesAnIdOnlyWhereItIsAsked) {
  const Snapshot snapshot = *sessions_.Export("a");
  EXPECT_EQ(sessions_.Import("b1", snapshot.bytes).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(server_.next_seq("b1"), 5u);
  EXPECT_TRUE(sessions_.Import("b1", snapshot.bytes, ImportMode::kReplace).ok());
  EXPECT_EQ(server_.next_seq("b1"), 4u);
}

TEST_F(SessionsServiceTest, AnAlteredSnapshotIsDataLoss) {
  EXPECT_EQ(sessions_.Import("copy", "?").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SessionsServiceTest, ForkCopies) {
  EXPECT_EQ(sessions_.Fork("a", "fork")->next_seq, 4u);
  EXPECT_EQ(sessions_.Fork("a", "b1").status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(SessionsServiceTest, DeleteForgets) {
  EXPECT_TRUE(sessions_.Delete("a").ok());
  EXPECT_FALSE(server_.exists("a"));
}

TEST_F(SessionsServiceTest, AServerThatDoesNotAnswerIsGivenUp) {
  server_.Pause(true);
  const CallOptions soon{.deadline = absl::Now() + absl::Milliseconds(50)};
  EXPECT_EQ(sessions_.Delete("a", soon).code(), absl::StatusCode::kDeadlineExceeded);
  const Sessions impatient({.target = server_.target(), .timeout = absl::Milliseconds(50)});
  EXPECT_EQ(impatient.Delete("a").code(), absl::StatusCode::kDeadlineExceeded);
  server_.Pause(false);
}

TEST_F(SessionsServiceTest, ADeadlineInThePastAsksNobody) {
  for (const absl::Time past : {absl::Now() - absl::Seconds(1), absl::InfinitePast(), absl::UnixEpoch()}) {
    EXPECT_EQ(sessions_.Delete("a", {.deadline = past}).code(), absl::StatusCode::kDeadlineExceeded);
  }
  EXPECT_TRUE(server_.exists("a"));
}

TEST_F(SessionsServiceTest, AnIdThatCannotBeSentIsRefusedHere) {
  EXPECT_EQ(sessions_.Get("\xff").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(sessions_.Fork("a", "\xff").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(sessions_.List({.prefix = "\xff"}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(SessionsServiceTest, ADeadlineMayBeForEver) {
  EXPECT_TRUE(sessions_.Get("a", {.deadline = absl::InfiniteFuture()}).ok());
}

TEST(ServicesTest, WhereNobodyListensIsUnavailable) {
  const Sessions sessions({.target = "127.0.0.1:1"});
  EXPECT_EQ(sessions.Get("a").status().code(), absl::StatusCode::kUnavailable);
}

TEST(ModelsServiceTest, ListNamesTheDefault) {
  FakeServer server;
  const absl::StatusOr<ModelList> list = Models({.target = server.target()}).List();
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->models.size(), 1u);
  EXPECT_EQ(list->default_model, list->models[0].FullName());
}

TEST(ModelsServiceTest, GetTellsAllOfAModel) {
  FakeServer server;
  const absl::StatusOr<ModelInfo> model = Models({.target = server.target()}).Get("sum");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->FullName(), "sum:3");
  EXPECT_EQ(model->horizon, 2u);
  EXPECT_THAT(model->quantiles, ElementsAre(0.5f));
  EXPECT_THAT(model->training, ElementsAre(Pair("seed", "7")));
  ASSERT_EQ(model->columns.size(), 2u);
  EXPECT_EQ(model->columns[0].role, Column::Role::kTarget);
  EXPECT_EQ(model->columns[1].role, Column::Role::kKnownFutureCovariate);
}

TEST(ModelsServiceTest, AModelThatIsNotThereIsNotFound) {
  FakeServer server;
  EXPECT_EQ(Models({.target = server.target()}).Get("mean").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace aaren::client
