#include "server/sessions/queue/handle_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace aaren::queue {
namespace {

TEST(HandleTableTest, FindsWhatWasSet) {
  HandleTable handles;
  session::Session a, b;
  handles.Set(0, &a);
  handles.Set(4'000'000'000, &b);
  EXPECT_EQ(handles.Find(0), &a);
  EXPECT_EQ(handles.Find(4'000'000'000), &b);
  EXPECT_EQ(handles.Find(1), nullptr);
  EXPECT_EQ(handles.Find(3'999'999'999), nullptr);
  EXPECT_EQ(handles.size(), 2);
}

TEST(HandleTableTest, ForgetsWhatWasErased) {
  HandleTable handles;
  session::Session a;
  handles.Set(7, &a);
  handles.Erase(7);
  handles.Erase(8);
  EXPECT_EQ(handles.Find(7), nullptr);
  EXPECT_EQ(handles.size(), 0);
}

TEST(HandleTableTest, AgreesWithAMapForAnyOrderOfHandles) {
  HandleTable handles;
  std::map<session::Handle, session::Binding*> expected;
  std::vector<session::Session> sessions(50);
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const session::Handle handle = random() % 4 == 0 ? random() : random() % 2000;
    if (random() % 3 == 0) {
      handles.Erase(handle);
      expected.erase(handle);
    } else {
      session::Session& session = sessions[random() % sessions.size()];
      handles.Set(handle, &session);
      expected[handle] = &session;
    }
    ASSERT_EQ(handles.size(), expected.size());
  }
  for (const auto& [handle, binding] : expected) ASSERT_EQ(handles.Find(handle), binding) << handle;
  size_t visited = 0;
  handles.ForEach([&visited](session::Binding&) { ++visited; });
  EXPECT_EQ(visited, expected.size());
}

}  // namespace
}  // namespace aaren::queue
