#include "server/sessions/queue/line.h"

#include <gtest/gtest.h>

#include <vector>

namespace aaren::queue {
namespace {

struct Thing {
  int number = 0;
  Thing* previous = nullptr;
  Thing* next = nullptr;
};

std::vector<int> Numbers(const Line<Thing>& line) {
  std::vector<int> numbers;
  for (const Thing* thing = line.front(); thing != nullptr; thing = thing->next) numbers.push_back(thing->number);
  return numbers;
}

TEST(LineTest, KeepsTheOrderInWhichThingsCame) {
  Thing one{1}, two{2}, three{3};
  Line<Thing> line;
  for (Thing* thing : {&two, &one, &three}) line.PushBack(*thing);
  EXPECT_EQ(Numbers(line), (std::vector<int>{2, 1, 3}));
}

TEST(LineTest, LetsThingsLeaveFromAnywhere) {
  Thing things[] = {{0}, {1}, {2}, {3}};
  Line<Thing> line;
  for (Thing& thing : things) line.PushBack(thing);
  line.Remove(things[2]);
  EXPECT_EQ(Numbers(line), (std::vector<int>{0, 1, 3}));
  line.Remove(things[0]);
  line.Remove(things[3]);
  EXPECT_EQ(Numbers(line), (std::vector<int>{1}));
  line.Remove(things[1]);
  EXPECT_TRUE(line.empty());
}

TEST(LineTest, TakesBackWhoHasLeft) {
  Thing one{1}, two{2};
  Line<Thing> line;
  line.PushBack(one);
  line.PushBack(two);
  line.Remove(one);
  line.PushBack(one);
  EXPECT_EQ(Numbers(line), (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace aaren::queue
