#include "server/operate/trace/tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace aaren::trace {
namespace {

using testing::ElementsAre;

constexpr int64_t kWallAheadNs = 5'000'000'000;

class ManualClock final : public session::Clock {
 public:
  int64_t NowNanos() const override { return now_ns; }
  absl::Time Wall() const override { return absl::FromUnixNanos(now_ns + kWallAheadNs); }
  int64_t now_ns = 1'000;
};

class Stream final : public Owner {
 public:
  void OnAnswered(Mark mark) override { answered.push_back(mark); }
  std::vector<Mark> answered;
};

class TracerTest : public testing::Test {
 protected:
  // A message with an item of a session.
  Mark Read() {
    const Mark mark = tracer_.Begin(stream_, 100, "acme", std::nullopt);
    tracer_.NoteItem(mark, 3);
    clock_.now_ns += 10;
    return mark;
  }

  std::vector<Span> Spans() { return buffer_.Take(1000, absl::ZeroDuration()); }

  static std::vector<std::string> NamesOf(const std::vector<Span>& spans) {
    std::vector<std::string> names;
    for (const Span& span : spans) names.emplace_back(span.name);
    return names;
  }

  ManualClock clock_;
  SpanBuffer buffer_;
  Stream stream_;
  Tracer tracer_{{.share = 1, .most_marks = 2, .seed = 11}, buffer_, clock_};
};

TEST_F(TracerTest, AMessageIsASpanWithThoseOfItsLifeInIt) {
  const Mark mark = Read();
  tracer_.Hold(mark);  // by the item
  tracer_.EndReading(mark);
  EXPECT_THAT(stream_.answered, ElementsAre());
  tracer_.Stepped(mark, {.began_ns = 1'200, .ended_ns = 1'300, .batch_tokens = 7, .tokens = 2, .model = "m:1"});
  clock_.now_ns = 1'310;
  tracer_.Release(mark);
  ASSERT_THAT(stream_.answered, ElementsAre(mark));
  clock_.now_ns = 1'400;
  tracer_.End(mark, /*written=*/true);
  const std::vector<Span> spans = Spans();
  ASSERT_THAT(NamesOf(spans), ElementsAre("message", "read", "queue", "step", "write"));
  const int64_t times[][2] = {{1'000, 1'400}, {1'000, 1'010}, {1'010, 1'200}, {1'200, 1'300}, {1'310, 1'400}};
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_EQ(spans[i].begin_ns, times[i][0] + kWallAheadNs) << spans[i].name;
    EXPECT_EQ(spans[i].end_ns, times[i][1] + kWallAheadNs) << spans[i].name;
    EXPECT_EQ(spans[i].context.trace, spans[0].context.trace);
    EXPECT_EQ(spans[i].parent, i == 0 ? SpanId{} : spans[0].context.span);
  }
  EXPECT_EQ(std::get<int64_t>(spans[3].attributes[1].second), 7);
}

TEST_F(TracerTest, ItemsThatAreSteppedTogetherAreOneStep) {
  const Mark mark = Read();
  tracer_.Stepped(mark, {.began_ns = 1'200, .ended_ns = 1'300, .batch_tokens = 7, .tokens = 2, .model = "m:1"});
  tracer_.Stepped(mark, {.began_ns = 1'200, .ended_ns = 1'300, .batch_tokens = 7, .tokens = 3, .model = "m:1"});
  tracer_.EndReading(mark);
  tracer_.End(mark, true);
  const std::vector<Span> spans = Spans();
  EXPECT_EQ(std::count_if(spans.begin(), spans.end(), [](const Span& s) { return s.name == std::string("step"); }), 1);
}

TEST_F(TracerTest, AMessageThatIsSteppedInManyPartsHasABoundedNumberOfSpans) {
  const Mark mark = Read();
  for (int64_t i = 0; i < 1'000; ++i) tracer_.Stepped(mark, {.began_ns = 2'000 + 2 * i, .ended_ns = 2'001 + 2 * i});
  tracer_.EndReading(mark);
  tracer_.End(mark, true);
  EXPECT_LE(Spans().size(), 3 + 2 * MessageNotes::kMostSteps);
}

TEST_F(TracerTest, BeyondThePoolMessagesAreNotTracedAndCounted) {
  const Mark first = Read(), second = Read();
  EXPECT_NE(first, second);
  EXPECT_EQ(tracer_.Begin(stream_, 100, "acme", std::nullopt), 0);
  EXPECT_EQ(tracer_.counters().skipped.value(), 1u);
  tracer_.EndReading(first);
  tracer_.End(first, true);
  EXPECT_NE(Read(), 0);
}

TEST_F(TracerTest, AMessageWithoutTokensIsNone) {
  const Mark mark = tracer_.Begin(stream_, 100, "acme", std::nullopt);
  tracer_.EndReading(mark);
  EXPECT_THAT(stream_.answered, ElementsAre());
  EXPECT_TRUE(Spans().empty());
  EXPECT_EQ(tracer_.counters().sampled.value(), 0u);
}

TEST_F(TracerTest, AStreamThatEndsEndsItsMessagesWithAnError) {
  const Mark mark = Read();
  tracer_.Hold(mark);  // by what outlives the stream
  tracer_.Leave(stream_);
  EXPECT_NE(Spans().front().error, "");
  tracer_.Release(mark);
  EXPECT_THAT(stream_.answered, ElementsAre());
  EXPECT_TRUE(Spans().empty());
  Read();
  EXPECT_NE(Read(), 0);  // the mark was given back
}

TEST_F(TracerTest, TheFirstErrorIsTold) {
  const Mark mark = Read();
  tracer_.NoteError(mark, "OUT_OF_RANGE SEQUENCE_GAP");
  tracer_.NoteError(mark, "later");
  tracer_.EndReading(mark);
  tracer_.End(mark, false);
  EXPECT_EQ(Spans().front().error, "OUT_OF_RANGE SEQUENCE_GAP");
}

TEST_F(TracerTest, TheClientsTraceIsALink) {
  const SpanContext client{{1}, {2}};
  const Mark mark = tracer_.Begin(stream_, 100, "", client);
  tracer_.NoteItem(mark, 3);
  tracer_.EndReading(mark);
  tracer_.End(mark, true);
  const Span root = Spans().front();
  ASSERT_EQ(root.links.size(), 1u);
  EXPECT_EQ(root.links[0].trace, client.trace);
  EXPECT_NE(root.context.trace, client.trace);
}

TEST_F(TracerTest, HeldLetsGoOnce) {
  const Mark mark = Read();
  {
    Held held(tracer_, mark);
    Held moved = std::move(held);
    tracer_.EndReading(mark);
    EXPECT_THAT(stream_.answered, ElementsAre());
  }
  EXPECT_THAT(stream_.answered, ElementsAre(mark));
}

}  // namespace
}  // namespace aaren::trace
