// Sessions of events against a FakeServer that sums the numbers of marks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "aaren/client/client.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

uint32_t Mark(uint64_t seq) { return static_cast<uint32_t>(seq % 5 + 1); }
int64_t Time(uint64_t seq) { return static_cast<int64_t>(1000 * seq * seq); }

class EventRecorder : public Recorder {
 public:
  void OnForecast(Session& session, const Forecast& forecast) override {
    Recorder::OnForecast(session, forecast);
    absl::MutexLock lock(&mutex_);
    const EventForecast& event = forecast.event;
    times_ns.push_back(forecast.time_ns.value_or(-1));
    likeliest.push_back(event.marks.empty() ? 0 : event.marks[0]);
    spans_s.assign(event.spans_s.begin(), event.spans_s.end());
    within.assign(event.within.begin(), event.within.end());
    probabilities.assign(event.mark_probabilities.begin(), event.mark_probabilities.end());
    horizons.assign(forecast.horizons.begin(), forecast.horizons.end());
  }
  void OnOverdue(Session&, const Overdue& overdue) override { missing.push_back(overdue); }

  // Read once the session has ended.
  std::vector<int64_t> times_ns;
  std::vector<uint32_t> likeliest, horizons;
  std::vector<double> spans_s;
  std::vector<float> within, probabilities;
  std::vector<Overdue> missing;

 private:
  absl::Mutex mutex_;
};

SessionOptions EventSession() { return {.id = "events", .output = {.events = {.spans_s = {0.25, 0.5}, .marks = 2}}}; }

// Sends events up to `end`, goes back where the session rewinds, and deletes the session.
absl::Status FeedEvents(Session& session, uint64_t end, size_t batch) {
  absl::Status status;
  do {
    for (uint64_t seq = session.next_seq(); seq < end;) {
      std::vector<uint32_t> marks;
      std::vector<int64_t> times;
      for (uint64_t i = seq; i < std::min<uint64_t>(end, seq + batch); ++i) {
        marks.push_back(Mark(i));
        times.push_back(Time(i));
      }
      status = session.Send(seq, {.times_ns = times, .marks = marks});
      seq = status.ok() ? seq + marks.size() : session.next_seq();
      if (!status.ok() && !absl::IsOutOfRange(status)) return status;
    }
    status = session.Close();
  } while (absl::IsOutOfRange(status));
  return status;
}

std::vector<float> MarkSums(uint64_t end) {
  std::vector<float> sums;
  for (uint64_t seq = 0; seq < end; ++seq) {
    sums.push_back(static_cast<float>(Mark(seq)) + (sums.empty() ? 0 : sums.back()));
  }
  return sums;
}

TEST(EventSessionsTest, AReplyHasTimesSpansAndMarks) {
  FakeServer server({.events = true});
  EventRecorder recorder;
  Client client(FastOptions(server.target()));
  auto session = client.Open(EventSession(), recorder);
  ASSERT_TRUE(FeedEvents(**session, 3, 3).ok());
  EXPECT_THAT(recorder.sums(), ElementsAre(1, 3, 6));
  EXPECT_THAT(recorder.horizons, ElementsAre(1));
  EXPECT_THAT(recorder.times_ns, ElementsAre(Time(0), Time(1), Time(2)));
  EXPECT_THAT(recorder.spans_s, ElementsAre(0.25, 0.5));
  EXPECT_THAT(recorder.within, ElementsAre(0.25f, 0.5f));
  EXPECT_THAT(recorder.likeliest, ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(recorder.probabilities, ElementsAre(0.75f, 0.25f));
}

TEST(EventSessionsTest, ABareForecastOfEventsIsTheTimeAlone) {
  FakeServer server({.events = true});
  EventRecorder recorder;
  Client client(FastOptions(server.target()));
  auto session = client.Open({.id = "events"}, recorder);
  ASSERT_TRUE(FeedEvents(**session, 2, 1).ok());
  EXPECT_THAT(recorder.sums(), ElementsAre(1, 3));
  EXPECT_TRUE(recorder.within.empty());
}

TEST(EventSessionsTest, CutsLoseAndRepeatNoEvent) {
  FakeServer server({.events = true});
  server.CutAt({2, 3, 5, 8, 13});
  EventRecorder recorder;
  Client client(FastOptions(server.target()));
  SessionOptions options = EventSession();
  options.window = 16;
  auto session = client.Open(options, recorder);
  ASSERT_TRUE(FeedEvents(**session, 300, 4).ok());
  std::vector<int64_t> times;
  for (uint64_t seq = 0; seq < 300; ++seq) times.push_back(Time(seq));
  EXPECT_EQ(recorder.seqs(), Seqs(0, 300));
  EXPECT_EQ(recorder.sums(), MarkSums(300));
  EXPECT_EQ(recorder.times_ns, times);
  EXPECT_GT(recorder.disconnects(), 3);
}

TEST(EventSessionsTest, AnOverdueEventIsToldOnce) {
  FakeServer server({.events = true});
  EventRecorder recorder;
  Client client(FastOptions(server.target()));
  SessionOptions options = EventSession();
  options.output.events.overdue = 0.99f;
  auto session = client.Open(options, recorder);
  ASSERT_TRUE(FeedEvents(**session, 3, 3).ok());
  ASSERT_EQ(recorder.missing.size(), 1u);
  EXPECT_EQ(recorder.missing[0].next_seq, 3u);
  EXPECT_EQ(recorder.missing[0].time_ns, Time(2) + 1);
  EXPECT_EQ(recorder.missing[0].probability, 0.0078125f);
}

TEST(EventSessionsTest, EventsNeedMarksInEachBatch) {
  FakeServer server({.events = true});
  EventRecorder recorder;
  Client client(FastOptions(server.target()));
  auto session = client.Open(EventSession(), recorder);
  const uint32_t mark = 1;
  const int64_t times[] = {1, 2};
  ASSERT_TRUE((*session)->WaitOpened().ok());
  EXPECT_THAT(std::string((*session)->Send(0, {.times_ns = times, .marks = {&mark, 1}}).message()),
              HasSubstr("a batch of 1 tokens at seq 0 has 2 times"));
}

TEST(EventSessionsTest, AProbabilityAbove1EndsTheSession) {
  FakeServer server({.events = true, .lie = [](v1::ServerMessage& message) {
                       for (auto& item : *message.mutable_items()) {
                         if (item.has_forecasts()) item.mutable_forecasts()->set_within(0, 1.5f);
                       }
                     }});
  EventRecorder recorder;
  Client client(FastOptions(server.target()));
  auto session = client.Open(EventSession(), recorder);
  EXPECT_THAT(std::string(FeedEvents(**session, 1, 1).message()), HasSubstr("Forecasts.within 1.5; 0 .. 1 expected"));
}

TEST(EventSessionsTest, MarksWithoutProbabilitiesEndTheSession) {
  FakeServer server({.events = true, .lie = [](v1::ServerMessage& message) {
                       for (auto& item : *message.mutable_items()) {
                         if (item.has_forecasts()) item.mutable_forecasts()->clear_mark_probabilities();
                       }
                     }});
  EventRecorder recorder;
  Client client(FastOptions(server.target()));
  auto session = client.Open(EventSession(), recorder);
  EXPECT_THAT(std::string(FeedEvents(**session, 1, 1).message()), HasSubstr("2 marks and 0 probabilities of marks"));
}

}  // namespace
}  // namespace aaren::client
