#include "model/command_line/near_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::command_line {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kWords = {"stream", "evaluate", "sessions", "models", "load"};

TEST(NearWordsTest, MistypedWordIsFound) { EXPECT_THAT(NearWords("straem", kWords), ElementsAre("stream")); }

TEST(NearWordsTest, PartOfAWordIsFound) { EXPECT_THAT(NearWords("eval", kWords), ElementsAre("evaluate")); }

TEST(NearWordsTest, NearestComesFirst) {
  EXPECT_THAT(NearWords("aab", std::vector<std::string>{"ab", "aab"}), ElementsAre("aab", "ab"));
}

TEST(NearWordsTest, WordLikeNoneFindsNone) { EXPECT_THAT(NearWords("xylophone", kWords), IsEmpty()); }

TEST(DidYouMeanTest, AsksOnlyWhereThereIsAnAnswer) {
  EXPECT_EQ(DidYouMean("modles", kWords), "; did you mean models?");
  EXPECT_EQ(DidYouMean("xylophone", kWords), "");
}

}  // namespace
}  // namespace aaren::command_line
