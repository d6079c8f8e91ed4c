#include "server/operate/trace/save_spans.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace aaren::trace {
namespace {

class SaveSpansTest : public testing::Test {
 protected:
  SpanContext NewMessage() { return {ids_.NewTrace(), ids_.NewSpan()}; }

  Sampler ids_{1, 7};
  SaveSpans saves_;
};

TEST_F(SaveSpansTest, ASaveIsAChildOfItsFirstMessageAndLinksTheOthers) {
  const SpanContext first = NewMessage(), second = NewMessage();
  saves_.Follow("a", first, 1);
  saves_.Follow("a", second, 2);
  saves_.Begin("a", 10);
  const std::optional<Span> span = saves_.End("a", 5, absl::OkStatus(), 30, ids_);
  ASSERT_TRUE(span);
  EXPECT_EQ(span->context.trace, first.trace);
  EXPECT_EQ(span->parent, first.span);
  ASSERT_EQ(span->links.size(), 1u);
  EXPECT_EQ(span->links[0].span, second.span);
  EXPECT_EQ(span->begin_ns, 10);
  EXPECT_EQ(span->end_ns, 30);
  EXPECT_TRUE(saves_.empty());
}

TEST_F(SaveSpansTest, WhatIsSteppedDuringASaveIsOfTheNext) {
  const SpanContext late = NewMessage();
  saves_.Follow("a", NewMessage(), 1);
  saves_.Begin("a", 2);
  saves_.Follow("a", late, 3);
  EXPECT_TRUE(saves_.End("a", 5, absl::OkStatus(), 4, ids_)->links.empty());
  saves_.Begin("a", 5);
  EXPECT_EQ(saves_.End("a", 6, absl::OkStatus(), 6, ids_)->parent, late.span);
}

TEST_F(SaveSpansTest, AfterAnErrorTheNextSaveIsFollowed) {
  const SpanContext message = NewMessage();
  saves_.Follow("a", message, 1);
  saves_.Begin("a", 2);
  EXPECT_EQ(saves_.End("a", 5, absl::UnavailableError("x"), 3, ids_)->error, "UNAVAILABLE");
  saves_.Begin("a", 4);
  const std::optional<Span> again = saves_.End("a", 5, absl::OkStatus(), 5, ids_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->parent, message.span);
  EXPECT_EQ(again->error, "");
}

TEST_F(SaveSpansTest, ASessionThatIsNotTracedHasNone) {
  saves_.Begin("a", 1);
  EXPECT_FALSE(saves_.End("a", 5, absl::OkStatus(), 2, ids_));
}

TEST_F(SaveSpansTest, FollowsNoMoreSessionsThanItMayUntilOthersAreOld) {
  for (size_t i = 0; i < SaveSpans::kMostSessions; ++i) saves_.Follow(absl::StrCat(i), NewMessage(), 1);
  saves_.Follow("a", NewMessage(), 2);
  saves_.Begin("a", 3);
  EXPECT_FALSE(saves_.End("a", 5, absl::OkStatus(), 4, ids_));
  const int64_t later = SaveSpans::kPatienceNs + 2;
  saves_.Follow("a", NewMessage(), later);
  saves_.Begin("a", later);
  EXPECT_TRUE(saves_.End("a", 5, absl::OkStatus(), later, ids_));
}

}  // namespace
}  // namespace aaren::trace
