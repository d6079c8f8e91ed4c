#include "server/sessions/session/table/session_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace aaren::session {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> Activities(const SessionList& list) {
  std::vector<int64_t> all;
  for (const Session* session = list.front(); session != nullptr; session = session->next) {
    all.push_back(session->last_active_ms);
  }
  return all;
}

TEST(SessionListTest, RemovesFromAnywhere) {
  SessionList list(Session::List::kResting);
  Session sessions[4];
  for (int i = 0; i < 4; ++i) {
    sessions[i].last_active_ms = i;
    list.PushBack(sessions[i]);
  }
  list.Remove(sessions[1]);
  EXPECT_THAT(Activities(list), ElementsAre(0, 2, 3));
  list.Remove(sessions[3]);
  list.Remove(sessions[0]);
  EXPECT_THAT(Activities(list), ElementsAre(2));
  list.PushFront(sessions[0]);
  EXPECT_THAT(Activities(list), ElementsAre(0, 2));
}

TEST(SessionListTest, LeavesASessionOfAnotherListAlone) {
  SessionList one(Session::List::kResting), other(Session::List::kUnsaved);
  Session session;
  one.PushBack(session);
  other.Remove(session);
  EXPECT_EQ(one.front(), &session);
}

}  // namespace
}  // namespace aaren::session
