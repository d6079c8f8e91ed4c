#include "server/sessions/queue/item_queue.h"

#include <gtest/gtest.h>

#include <memory>

namespace aaren::queue {
namespace {

TEST(ItemQueueTest, GivesThingsBackInTheirOrderWhileOthersCome) {
  ItemQueue<std::unique_ptr<int>> queue;
  int pushed = 0, popped = 0;
  for (; pushed < 1000; ++pushed) {
    queue.emplace_back() = std::make_unique<int>(pushed);
    if (pushed % 3 == 0) continue;
    ASSERT_EQ(*queue.front(), popped++);
    queue.pop_front();
  }
  for (; !queue.empty(); queue.pop_front()) ASSERT_EQ(*queue.front(), popped++);
  EXPECT_EQ(popped, pushed);
}

TEST(ItemQueueTest, GivesBackTheMemoryOfALongQueueThatIsShortButNeverEmpty) {
  ItemQueue<int> queue;
  for (int i = 0; i < 10'000; ++i) queue.emplace_back() = i;
  while (queue.size() > 1) queue.pop_front();
  for (int i = 0; i < 100; ++i) {
    queue.emplace_back() = i;
    queue.pop_front();
  }
  EXPECT_LT(queue.capacity(), 100);
}

}  // namespace
}  // namespace aaren::queue
