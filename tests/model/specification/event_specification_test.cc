// The engine keeps to model/engine/events/RULES.md, to the bit: forecasts, surprises, numbers of a forecast and whole
// rows equal the results of a second implementation of the rules.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/events/event_package.h"
#include "model/engine/events/event_token.h"
#include "model/engine/events/outlook.h"
#include "model/engine/events/quantiles.h"
#include "model/math/doubles.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/model/specification/events/doubles.h"
#include "tests/model/specification/events/event_forecaster.h"
#include "tests/model/specification/events/replies.h"

namespace aaren::specification::events {
namespace {

namespace served = aaren::events;
using served::Event;

constexpr int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond, kYear = 365 * 24 * kHour;
constexpr int64_t kStart = 1'700'000'000 * kSecond;  // a Tuesday of 2023

using Random = std::mt19937_64;

// From 0 to 1, without the ends.
double Share(Random& random) { return (static_cast<double>(random() >> 12) + 0.5) * 0x1p-52; }

// Events with marks below `marks`, `gap` nanoseconds after each other.
template <typename Gap>
std::vector<Event> Stream(uint64_t seed, size_t count, int64_t start, uint64_t marks, Gap gap) {
  Random random(seed);
  std::vector<Event> events;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) start += static_cast<int64_t>(gap(i, random));
    events.push_back({.time_ns = start, .mark = random() % marks});
  }
  return events;
}

std::vector<Event> Poisson() {
  return Stream(1, 300, kStart, 5, [](size_t, Random& random) { return -5e9 * std::log(Share(random)); });
}

std::vector<Event> Bursts() {
  return Stream(2, 300, kStart, 8,
                [](size_t i, Random& random) { return i % 25 == 0 ? 3e12 * Share(random) : 2e6 * Share(random); });
}

// Eight events at the first moment: without a scale there is no forecast.
std::vector<Event> Ties() {
  return Stream(3, 250, kStart, 3, [](size_t i, Random& random) {
    return i < 8 || random() % 2 == 0 ? 0 : 1e9 * static_cast<double>(random() % 4);
  });
}

// Many ties follow, and the mean interval vanishes.
std::vector<Event> Nanoseconds() {
  return Stream(4, 200, 0, 4, [](size_t i, Random& random) { return i % 100 > 40 ? 0 : (random() % 3 == 0 ? 2 : 1); });
}

std::vector<Event> YearsOfSilence() {
  return Stream(5, 120, 20 * kYear, 6, [](size_t i, Random& random) {
    return i % 10 == 9 ? static_cast<double>(kYear) * 3 * Share(random) : (i % 10 == 5 ? 1 : 6e10 * Share(random));
  });
}

// A cycle over 300 marks, and habits among the slots.
std::vector<Event> ManyMarks() {
  std::vector<Event> events =
      Stream(6, 600, kStart, 40, [](size_t, Random& random) { return 1e9 * (1 + Share(random)); });
  for (size_t i = 0; i < events.size(); i += 2) events[i].mark = 100 + i / 2 % 300;
  return events;
}

// More of a mark than a byte counts, equal intervals, and a mark that returns after more than 1,024 events.
std::vector<Event> OneMark() {
  std::vector<Event> events = Stream(7, 1100, kStart, 1, [](size_t i, Random&) { return i % 7 == 0 ? 9e9 : 6e9; });
  events[10].mark = events[1080].mark = 1;
  return events;
}

// Four weeks of a shop: many events by day, few by night.
std::vector<Event> Days() {
  int64_t time = kStart;
  return Stream(8, 400, kStart, 6, [time](size_t, Random& random) mutable {
    const bool day = time / kHour % 24 >= 8 && time / kHour % 24 < 20;
    const auto gap = static_cast<int64_t>(-(day ? 3e12 : 3e13) * std::log(Share(random)));
    time += gap;
    return gap;
  });
}

// Plain numbers, from below 0 on: there is no calendar.
std::vector<Event> PlainNumbers() {
  return Stream(9, 200, -50 * kSecond, 7, [](size_t, Random& random) { return 1e9 * Share(random); });
}

// The greatest difference of two times.
std::vector<Event> AllTimes() {
  return {{INT64_MIN, 1}, {INT64_MIN, 2}, {INT64_MIN + 1, 1}, {0, 2}, {INT64_MAX - 5, 1}, {INT64_MAX, 1}};
}

// Callers refuse times that go back. A row takes an earlier time for the newest time.
std::vector<Event> TimesThatGoBack() {
  std::vector<Event> events = Poisson();
  for (size_t i = 3; i < events.size(); i += 4) std::swap(events[i].time_ns, events[i - 1].time_ns);
  return events;
}

std::vector<Event> Hard() { return served::HardEvents(1, 400); }

// The last second without a calendar, and the first moment with a calendar. A mark has the greatest number.
std::vector<Event> LastPlainNumber() { return {{157'679'999 * kSecond, 0xffffffff}, {157'680'001 * kSecond, 0}}; }
std::vector<Event> FirstDate() { return {{157'680'000 * kSecond, 0xffffffff}, {157'680'001 * kSecond, 0}}; }

// Weights so large that components have no weight, or lie further than allowed.
package::ModelPackage LoudPackage(uint64_t seed) {
  package::ModelPackage package = served::RandomEventPackage(seed);
  for (auto& [name, tensor] : package.tensors) {
    if (name.ends_with("log_decay")) continue;
    for (float& weight : tensor.data) weight *= 5.0f;
  }
  return package;
}

// A stream in an engine's lane, and by the rules.
class Both {
 public:
  Both(const package::ModelPackage& package, const Told& told)
      : told_(told), engine_(engine::NewCpuEngine(package).value()), lane_(engine_->NewLane(1)), rules_(package) {
    EXPECT_TRUE(lane_->Allocate({&slot_, 1}).ok());
    EXPECT_TRUE(lane_->Reset({&slot_, 1}).ok());
  }

  // A call's events; forecasts of events with `wanted` are compared.
  void ExpectEqual(absl::Span<const Event> events, const std::vector<uint8_t>& wanted) {
    std::vector<float> tokens(events.size() * served::kTokenFloats), surprises(events.size());
    std::vector<float> forecasts(events.size() * served::kForecastFloats);
    for (size_t i = 0; i < events.size(); ++i) {
      served::PutEvent(events[i].time_ns, static_cast<uint32_t>(events[i].mark), &tokens[i * served::kTokenFloats]);
    }
    engine::Run run = {slot_, tokens, wanted};
    run.forecasts = forecasts.data();
    run.surprises = surprises.data();
    run.scale = {.unit_ns = told_.unit, .resolution_ns = told_.resolution};
    ASSERT_TRUE(lane_->Submit({&run, 1}).ok());
    const float* forecast = forecasts.data();
    for (size_t i = 0; i < events.size(); ++i) {
      SCOPED_TRACE("event " + std::to_string(i) + " of the call");
      const EventReply reply = rules_.Take(events[i].time_ns, static_cast<uint32_t>(events[i].mark), told_);
      ASSERT_EQ(std::memcmp(&surprises[i], &reply.surprise, sizeof(float)), 0) << surprises[i] << reply.surprise;
      if (wanted[i] == 0) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectForecast(forecast, reply));
      forecast += served::kForecastFloats;
    }
    ASSERT_TRUE(RowBytes() == rules_.Row()) << "rows";
  }

 private:
  static void ExpectForecast(const float* forecast, const EventReply& reply) {
    const std::vector<std::byte> bytes = EventForecaster::ReplyBytes(reply);
    ASSERT_EQ(bytes.size(), served::kForecastFloats * sizeof(float));
    ASSERT_EQ(std::memcmp(forecast, bytes.data(), bytes.size()), 0) << "forecasts";
    ExpectMarks(served::EventForecast::Of(forecast), reply);
    const served::Outlook outlook = served::EventForecast::Of(forecast).outlook;
    if (!outlook.made()) return;
    ExpectNumbers(outlook, reply.outlook);
    ExpectVectors(outlook, reply.outlook);
  }

  static void ExpectMarks(const served::EventForecast& forecast, const EventReply& reply) {
    std::vector<uint32_t> names(served::kMarkSlots);
    std::vector<float> probabilities(names.size());
    served::LikeliestMarks(forecast, absl::MakeSpan(names), probabilities.data());
    const auto likeliest = Likeliest(reply);
    for (size_t i = 0; i < names.size(); ++i) {
      ASSERT_EQ(names[i], likeliest[i].first) << i;
      ASSERT_EQ(std::memcmp(&probabilities[i], &likeliest[i].second, sizeof(float)), 0) << i;
    }
  }

  static void ExpectNumbers(const served::Outlook& outlook, const Outlook& rules) {
    for (const double share : {1e-9, 0.02, 0.7, 1.0, 5.0, 1e6, 1e280}) {
      const double gap = share * std::exp(outlook.log_scale);
      ASSERT_EQ(served::ProbabilityWithin(outlook, gap), rules.Within(gap));
      ASSERT_EQ(served::LogDensity(outlook, gap), rules.LogDensity(gap));
    }
    for (const double level : {0.001, 0.1, 0.5, 0.93, 0.9999}) {
      ASSERT_EQ(served::IntervalAt(outlook, level), rules.Interval(level));
    }
    const double silence = std::exp(outlook.log_scale);
    ASSERT_EQ(served::ProbabilityAfterSilence(outlook, silence, 1.0), rules.WithinAfter(silence, 1.0));
    ASSERT_EQ(served::IntervalAfterSilence(outlook, silence, 0.5), rules.IntervalAfter(silence, 0.5));
  }

  // More than a vector of either.
  static void ExpectVectors(const served::Outlook& outlook, const Outlook& rules) {
    // Searches tolerate more than the distance of the close levels.
    const Vector levels = {1e-6f,     0.001f,    0.01f,     0.05f,     0.1f,   0.2f,    0.3f,     0.4f, 0.5f,
                           0.5f,      0.500001f, 0.500002f, 0.500003f, 0.6f,   0.7f,    0.8f,     0.9f, 0.900001f,
                           0.900002f, 0.95f,     0.98f,     0.99f,     0.999f, 0.9999f, 0.999999f};
    Vector intervals(levels.size());
    served::IntervalsAt(outlook, levels, intervals.data());
    ASSERT_EQ(intervals, Intervals(rules, levels));
    std::vector<double> spans;
    for (int i = 0; i < 19; ++i) spans.push_back(std::exp(outlook.log_scale + 0.7 * (i - 10)));
    spans.push_back(1e-300);
    spans.push_back(1e300);
    Vector probabilities(spans.size());
    served::ProbabilitiesWithin(outlook, spans, probabilities.data());
    ASSERT_EQ(probabilities, Probabilities(rules, spans));
  }

  std::vector<std::byte> RowBytes() {
    std::vector<std::byte> row(engine_->row_bytes());
    const engine::RowRead read = {slot_, row.data()};
    EXPECT_TRUE(lane_->Read({&read, 1}).ok());
    return row;
  }

  const Told told_;
  const std::unique_ptr<engine::Engine> engine_;
  const std::unique_ptr<engine::Lane> lane_;
  engine::Slot slot_;
  EventForecaster rules_;
};

// Cuts a stream into calls of 1 to `longest` events. In a call all, none or some forecasts are wanted.
void ExpectEqual(const package::ModelPackage& package, const std::vector<Event>& events, size_t longest,
                 const Told& told = {}) {
  Both both(package, told);
  Random random(longest);
  for (size_t at = 0; at < events.size();) {
    SCOPED_TRACE("call of event " + std::to_string(at) + " and on");
    const size_t count = std::min<size_t>(1 + random() % longest, events.size() - at);
    const uint64_t kind = random() % 4;
    std::vector<uint8_t> wanted(count);
    for (uint8_t& one : wanted) one = kind == 0 || (kind != 1 && random() % 3 == 0);
    ASSERT_NO_FATAL_FAILURE(both.ExpectEqual({&events[at], count}, wanted));
    at += count;
  }
}

struct Case {
  const char* name;
  std::vector<Event> (*stream)();
  Told told = {};
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class EventSpecification : public testing::TestWithParam<Case> {
 protected:
  static package::ModelPackage Bundled() {
    auto package = served::LoadEventPackage(AAREN_BUNDLED_EVENTS);
    EXPECT_TRUE(package.ok()) << package.status();
    return *std::move(package);
  }
};

TEST_P(EventSpecification, RulesGiveTheBitsOfTheBundledModelInCallsOfManyEvents) {
  ExpectEqual(Bundled(), GetParam().stream(), 150, GetParam().told);
}

TEST_P(EventSpecification, RulesGiveTheBitsOfTheBundledModelOneEventACall) {
  ExpectEqual(Bundled(), GetParam().stream(), 1, GetParam().told);
}

TEST_P(EventSpecification, RulesGiveTheBitsOfRandomWeights) {
  ExpectEqual(served::RandomEventPackage(5), GetParam().stream(), 100, GetParam().told);
}

TEST_P(EventSpecification, RulesGiveTheBitsOfLargeWeights) {
  ExpectEqual(LoudPackage(6), GetParam().stream(), 40, GetParam().told);
}

INSTANTIATE_TEST_SUITE_P(Streams, EventSpecification,
                         testing::Values(Case{"Poisson", Poisson}, Case{"Bursts", Bursts}, Case{"Ties", Ties},
                                         Case{"Nanoseconds", Nanoseconds}, Case{"YearsOfSilence", YearsOfSilence},
                                         Case{"ManyMarks", ManyMarks}, Case{"OneMark", OneMark}, Case{"Days", Days},
                                         Case{"PlainNumbers", PlainNumbers}, Case{"AllTimes", AllTimes},
                                         Case{"TimesThatGoBack", TimesThatGoBack}, Case{"Hard", Hard},
                                         Case{"LastPlainNumber", LastPlainNumber}, Case{"FirstDate", FirstDate},
                                         Case{"ToldUnit", Poisson, {.unit = 60 * kSecond}},
                                         Case{"ToldResolution", Ties, {.resolution = kSecond}},
                                         Case{"ToldBoth", Hard, {.unit = 1, .resolution = 1'000'000}}),
                         [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

// The functions for one number and for many.
TEST(EventSpecificationFunctions, RulesGiveTheBitsOfFunctionsOfDoubles) {
  Random random(1);
  std::vector<double> small = {0.0, -0.0, 1.0, -700.0, 700.0, -700.5, 701.0, 1e9, -1e9}, positive, turns = {0.0, -0.25};
  for (int i = 0; i < 20'000; ++i) {
    small.push_back((Share(random) - 0.5) * std::exp2(static_cast<double>(random() % 14) - 3));
    positive.push_back(std::ldexp(0.5 + Share(random) / 2, static_cast<int>(random() % 2045) - 1020));
    turns.push_back((Share(random) - 0.5) * std::exp2(random() % 50) + static_cast<double>(random() % 8) / 8);
  }
  std::vector<double> exps(small.size()), logs(positive.size()), cosines(turns.size()), sines(turns.size());
  math::Exp(small.data(), small.size(), exps.data());
  math::Log(positive.data(), positive.size(), logs.data());
  math::Turn(turns.data(), turns.size(), cosines.data(), sines.data());
  const auto expect = [](double rules, double one, double many) {
    ASSERT_EQ(std::bit_cast<uint64_t>(one), std::bit_cast<uint64_t>(rules));
    ASSERT_EQ(std::bit_cast<uint64_t>(many), std::bit_cast<uint64_t>(rules));
  };
  for (size_t i = 0; i < small.size(); ++i) expect(DoubleExp(small[i]), math::Exp(small[i]), exps[i]);
  for (size_t i = 0; i < logs.size(); ++i) expect(DoubleLog(positive[i]), math::Log(positive[i]), logs[i]);
  for (size_t i = 0; i < turns.size(); ++i) {
    expect(Turn(turns[i]).cosine, math::Turn(turns[i]).cosine, cosines[i]);
    expect(Turn(turns[i]).sine, math::Turn(turns[i]).sine, sines[i]);
  }
}

}  // namespace
}  // namespace aaren::specification::events
