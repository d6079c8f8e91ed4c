#include "model/engine/cuda/stream/form_choice.h"

#include <gtest/gtest.h>

namespace aaren::engine {
namespace {

// An H200's clusters and processors.
FormQuestion Question(size_t tokens, size_t longest_run = 1, int calls_under_way = 0) {
  return {.clusters = {7, 15, 31, 66, 132, 132, 132},
          .processors = 132,
          .tokens = tokens,
          .longest_run = longest_run,
          .calls_under_way = calls_under_way};
}

StreamForm Chosen(const FormQuestion& question) { return kStreamForms[ChooseForm(question)]; }

TEST(FormChoiceTest, FewTokensAreSpreadOverManyProcessors) {
  EXPECT_EQ(Chosen(Question(1)).blocks, 16);
  EXPECT_EQ(Chosen(Question(56)).blocks, 16);
  EXPECT_EQ(Chosen(Question(64)).blocks, 8);
}

TEST(FormChoiceTest, ManyTokensFillAProcessorEach) {
  EXPECT_EQ(Chosen(Question(1024)).blocks, 1);
  EXPECT_EQ(Chosen(Question(1024)).tokens, 8);
  EXPECT_EQ(Chosen(Question(2048)).tokens, 16);
}

TEST(FormChoiceTest, ALongRunTakesTheFormThatIsQuickestTokenByToken) {
  EXPECT_EQ(Chosen(Question(300, 300)).blocks, 16);
}

TEST(FormChoiceTest, CallsBesideOthersTakeLessOfTheDevice) {
  EXPECT_LT(Chosen(Question(80, 1, 7)).blocks, Chosen(Question(80)).blocks);
  EXPECT_EQ(Chosen(Question(2048, 1, 15)).tokens, 32);
}

TEST(FormChoiceTest, AFormThatCannotBeHadIsNotTaken) {
  FormQuestion question = Question(1);
  question.clusters = {0, 0, 3, 0, 0, 0, 0};
  EXPECT_EQ(Chosen(question).blocks, 4);
  question.clusters = {};
  EXPECT_EQ(ChooseForm(question), -1);
}

}  // namespace
}  // namespace aaren::engine
