#include "model/engine/events/event_task.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/events/event_token.h"
#include "tests/model/engine/events/random_events.h"

namespace aaren::events {
namespace {

// A lane's answers to a stream of events.
struct Answers {
  std::vector<float> forecasts, surprises;
  std::string row;
  bool operator==(const Answers& other) const {
    const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    };
    return same(forecasts, other.forecasts) && same(surprises, other.surprises) && row == other.row;
  }
};

class EventTaskTest : public testing::Test {
 protected:
  EventTaskTest() : engine_(*engine::NewCpuEngine(RandomEventPackage(5))), lane_(engine_->NewLane(8)) {}

  engine::Slot NewRow() {
    engine::Slot slot;
    EXPECT_TRUE(lane_->Allocate({&slot, 1}).ok());
    EXPECT_TRUE(lane_->Reset({&slot, 1}).ok());
    return slot;
  }

  std::string RowOf(engine::Slot slot) {
    std::string row(engine_->row_bytes(), '\0');
    const engine::RowRead read = {slot, reinterpret_cast<std::byte*>(row.data())};
    EXPECT_TRUE(lane_->Read({&read, 1}).ok());
    return row;
  }

  static std::vector<float> TokensOf(const std::vector<Event>& events) {
    std::vector<float> tokens(events.size() * kTokenFloats);
    for (size_t i = 0; i < events.size(); ++i) {
      PutEvent(events[i].time_ns, static_cast<uint32_t>(events[i].mark), &tokens[i * kTokenFloats]);
    }
    return tokens;
  }

  Answers Feed(const std::vector<Event>& events, size_t at_a_time, engine::EventScale scale = {}) {
    const std::vector<float> tokens = TokensOf(events);
    const std::vector<uint8_t> wanted(events.size(), 1);
    Answers answers = {std::vector<float>(events.size() * kForecastFloats), std::vector<float>(events.size()), ""};
    const engine::Slot slot = NewRow();
    for (size_t i = 0; i < events.size(); i += at_a_time) {
      const size_t count = std::min(at_a_time, events.size() - i);
      engine::Run run = {slot, {&tokens[i * kTokenFloats], count * kTokenFloats}, {&wanted[i], count}};
      run.forecasts = &answers.forecasts[i * kForecastFloats];
      run.surprises = &answers.surprises[i];
      run.scale = scale;
      EXPECT_TRUE(lane_->Submit({&run, 1}).ok());
    }
    answers.row = RowOf(slot);
    lane_->Free({&slot, 1});
    return answers;
  }

  absl::StatusOr<uint64_t> Check(const std::string& row) const {
    return engine_->CheckRow({reinterpret_cast<const std::byte*>(row.data()), row.size()});
  }

  const std::unique_ptr<engine::Engine> engine_;
  const std::unique_ptr<engine::Lane> lane_;
};

TEST_F(EventTaskTest, GivesTheResultsOfTheEventEngine) {
  const std::vector<Event> events = HardEvents(1, 300);
  const Answers answers = Feed(events, 300);
  const auto plain = *NewEventEngine(RandomEventPackage(5));
  EventRow row = NewEventRow(true);
  std::vector<EventResult> results(events.size());
  const EventRun run = {&row, events, results.data()};
  ASSERT_TRUE(plain->Step({&run, 1}, *plain->NewScratch()).ok());
  for (size_t i = 0; i < events.size(); ++i) {
    const EventForecast forecast = EventForecast::Of(&answers.forecasts[i * kForecastFloats]);
    EXPECT_EQ(std::memcmp(&forecast.outlook, &results[i].outlook, sizeof(Outlook)), 0) << i;
    EXPECT_EQ(std::memcmp(forecast.marks, results[i].marks, sizeof(results[i].marks)), 0) << i;
    EXPECT_EQ(std::memcmp(&answers.surprises[i], &results[i].surprise, sizeof(float)), 0) << i;
  }
  EXPECT_EQ(std::memcmp(answers.row.data(), &row, sizeof(row)), 0);
}

TEST_F(EventTaskTest, AnySplitGivesTheSameBits) {
  const std::vector<Event> events = HardEvents(2, 200);
  const Answers whole = Feed(events, 200);
  for (const size_t at_a_time : {1, 7, 64}) EXPECT_TRUE(Feed(events, at_a_time) == whole) << at_a_time;
}

TEST_F(EventTaskTest, NamesTheMarksOfTheMoment) {
  // 64 marks fill the slots; the next new mark takes the slot of mark 0.
  std::vector<Event> events;
  for (int64_t i = 0; i < 66; ++i) events.push_back({i * 1'000'000'000, static_cast<uint64_t>(i)});
  const Answers answers = Feed(events, 66);
  EXPECT_EQ(EventForecast::Of(&answers.forecasts[63 * kForecastFloats]).names[0], 0u);
  EXPECT_EQ(EventForecast::Of(&answers.forecasts[64 * kForecastFloats]).names[0], 64u);
}

TEST_F(EventTaskTest, AToldScaleMakesAForecastAfterTheFirstEvent) {
  const std::vector<Event> events = {{1'700'000'000'000'000'000, 1}};
  const auto outlook = [](const Answers& answers) { return EventForecast::Of(answers.forecasts.data()).outlook; };
  EXPECT_FALSE(outlook(Feed(events, 1)).made());
  const Outlook told = outlook(Feed(events, 1, {.unit_ns = 60'000'000'000}));
  ASSERT_TRUE(told.made());
  EXPECT_NEAR(told.log_scale, std::log(60), 1e-9);
  EXPECT_TRUE(std::isfinite(IntervalAt(told, 0.5)));
}

TEST_F(EventTaskTest, AToldResolutionChangesSurprisesAlone) {
  const std::vector<Event> events = HardEvents(3, 100);
  const Answers exact = Feed(events, 100), rounded = Feed(events, 100, {.resolution_ns = 1'000'000'000});
  EXPECT_EQ(exact.row, rounded.row);
  EXPECT_EQ(std::memcmp(exact.forecasts.data(), rounded.forecasts.data(), exact.forecasts.size() * sizeof(float)), 0);
  EXPECT_NE(exact.surprises.back(), rounded.surprises.back());
}

TEST_F(EventTaskTest, PlainNumbersHaveNoCalendar) {
  const auto calendar = [](const Answers& answers) {
    EventRow row;
    std::memcpy(&row, answers.row.data(), sizeof(row));
    return row.memory.calendar;
  };
  EXPECT_EQ(calendar(Feed({{1'000'000'000, 1}}, 1)), 0);
  EXPECT_EQ(calendar(Feed({{1'700'000'000'000'000'000, 1}}, 1)), 1);
}

TEST_F(EventTaskTest, TheRowKeepsTheNewestOutlook) {
  const Answers answers = Feed(HardEvents(4, 50), 50);
  std::vector<float> result(kForecastFloats);
  ASSERT_TRUE(engine_->NewestResult({reinterpret_cast<const std::byte*>(answers.row.data()), answers.row.size()},
                                    result.data()));
  EXPECT_EQ(std::memcmp(result.data(), &answers.forecasts[49 * kForecastFloats], sizeof(Outlook)), 0);
}

TEST_F(EventTaskTest, ANewRowHasNoResult) {
  const std::string row = RowOf(NewRow());
  std::vector<float> result(kForecastFloats);
  EXPECT_FALSE(engine_->NewestResult({reinterpret_cast<const std::byte*>(row.data()), row.size()}, result.data()));
}

TEST_F(EventTaskTest, RowsOfStreamsPassTheCheck) {
  EXPECT_EQ(*Check(RowOf(NewRow())), 0u);
  for (const size_t count : {1, 2, 3, 70, 400}) {
    EXPECT_EQ(*Check(Feed(HardEvents(5, count), 400).row), count);
    EXPECT_EQ(*Check(Feed(HardEvents(5, count), 400, {.unit_ns = 1}).row), count);
  }
}

TEST_F(EventTaskTest, RowsHaveAtMost8192Bytes) { EXPECT_LE(engine_->row_bytes(), 8192u); }

TEST_F(EventTaskTest, ARowTwiceInABatchIsRefused) {
  const engine::Slot slot = NewRow();
  const std::vector<float> tokens = TokensOf({{1, 1}});
  const uint8_t wanted[] = {0};
  const engine::Run run = {slot, tokens, wanted}, twice[] = {run, run};
  EXPECT_TRUE(absl::IsInvalidArgument(lane_->Submit(twice).status()));
  EXPECT_TRUE(lane_->Submit({&run, 1}).ok()) << "the refused batch has released the row";
}

TEST_F(EventTaskTest, TheFastTierIsRefused) {
  EXPECT_TRUE(absl::IsFailedPrecondition(engine::NewCpuEngine(RandomEventPackage(5), engine::Tier::kFast).status()));
}

TEST_F(EventTaskTest, APackageWithAnotherShapeIsRefusedByName) {
  EventPackage package = RandomEventPackage(5);
  package.tensors["norm.weight"].shape = {32, 2};
  EXPECT_EQ(engine::NewCpuEngine(package).status().message(), "tensor norm.weight has shape [32, 2], not [64]");
}

}  // namespace
}  // namespace aaren::events
