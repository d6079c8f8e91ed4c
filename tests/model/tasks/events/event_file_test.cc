#include "model/tasks/events/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::events {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Written(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

std::string ErrorOf(const std::string& name, const std::string& text) {
  const auto streams = ReadEventFile(Written(name, text), 1);
  EXPECT_FALSE(streams.ok());
  return std::string(streams.status().message());
}

TEST(EventFileTest, ReadsStreamsFromJsonLines) {
  const auto streams = ReadEventFile(
      Written("a.jsonl", "{\"times\": [0, 1.5, 1.5], \"marks\": [3, 4, 3]}\n\n{\"times\": [7], \"x\": 1}\n"), 1);
  ASSERT_TRUE(streams.ok()) << streams.status();
  ASSERT_EQ(streams->size(), 2u);
  EXPECT_THAT((*streams)[0].times_ns, ElementsAre(0, 1500000000, 1500000000));
  EXPECT_THAT((*streams)[0].marks, ElementsAre(MarkName("3"), MarkName("4"), MarkName("3")));
  EXPECT_THAT((*streams)[1].marks, ElementsAre(MarkName("")));
}

TEST(EventFileTest, ReadsSeriesFromCsv) {
  const auto streams =
      ReadEventFile(Written("a.csv", "series,time,mark\na,1970-01-01T00:00:01Z,up\nb,2,down\na,3,up\n"), 1);
  ASSERT_TRUE(streams.ok()) << streams.status();
  ASSERT_EQ(streams->size(), 2u);
  EXPECT_EQ((*streams)[0].series, "a");
  EXPECT_THAT((*streams)[0].times_ns, ElementsAre(1000000000, 3000000000));
  EXPECT_THAT((*streams)[1].times_ns, ElementsAre(2000000000));
}

TEST(EventFileTest, TimesAreInTheUnit) {
  const auto streams = ReadEventFile(Written("unit.jsonl", "{\"times\": [0, 0.5]}"), 1e6);
  ASSERT_TRUE(streams.ok());
  EXPECT_THAT((*streams)[0].times_ns, ElementsAre(0, 500000000000000));
}

TEST(EventFileTest, TimesSince1970AreWhole) {
  const std::pair<double, const char*> units[] = {
      {1e-3, "1700000000123"}, {1e-6, "1700000000123457"}, {1e-9, "1700000000123456789"}};
  for (const auto& [unit, time] : units) {
    const std::string csv = std::string("time\n") + time + "\n", json = std::string("{\"times\": [") + time + "]}\n";
    for (const std::string& path : {Written("whole.csv", csv), Written("whole.jsonl", json)}) {
      const auto streams = ReadEventFile(path, unit);
      ASSERT_TRUE(streams.ok()) << streams.status();
      EXPECT_EQ((*streams)[0].times_ns[0], std::stoll(time) * std::llround(unit * 1e9)) << path;
      EXPECT_TRUE(WholeUnits(*streams, unit)) << path;
    }
  }
}

TEST(EventFileTest, APartOfAUnitIsAddedToTheWholeUnits) {
  const auto streams = ReadEventFile(Written("part.csv", "time\n-1700000000123.5\n1700000000123.5\n"), 1e-3);
  ASSERT_TRUE(streams.ok()) << streams.status();
  EXPECT_THAT((*streams)[0].times_ns, ElementsAre(-1700000000123500000, 1700000000123500000));
}

TEST(EventFileTest, ImpossibleTimesAreNamed) {
  for (const char* time : {"9999-12-31T00:00:00Z", "0001-01-01T00:00:00Z", "infinite-future", "infinite-past", "inf",
                           "18446744073709551615", "9223372036854775807"}) {
    EXPECT_THAT(ErrorOf("far.csv", absl::StrCat("time\n", time, "\n")), HasSubstr("far.csv:2: the time ")) << time;
  }
  EXPECT_THAT(ErrorOf("far.jsonl", "{\"times\": [1, 18446744073709551615]}\n"),
              HasSubstr("far.jsonl:1: event 1: the time 1.84467e+19 is not within"));
}

TEST(EventFileTest, ErrorsNameFileAndLine) {
  EXPECT_THAT(ErrorOf("b.csv", "time,mark\n1,a\nsoon,b\n"), HasSubstr("b.csv:3: the time \"soon\""));
  EXPECT_THAT(ErrorOf("c.csv", "time,mark\n1,a\n0,b\n"), HasSubstr("c.csv:3: the time is before"));
  EXPECT_THAT(ErrorOf("d.csv", "time,mark\n1\n"), HasSubstr("d.csv:2: 1 fields, not 2"));
  EXPECT_THAT(ErrorOf("e.csv", "mark\na\n"), HasSubstr("e.csv:1: the header has no column time"));
  EXPECT_THAT(ErrorOf("f.csv", "time\n1e300\n"), HasSubstr("f.csv:2: the time 1e+300 is not within"));
  EXPECT_THAT(ErrorOf("g.csv", "time\nnan\n"), HasSubstr("g.csv:2: the time nan is not within"));
  EXPECT_THAT(ErrorOf("h.csv", "time,mark\n1," + std::string(65, 'x') + "\n"),
              HasSubstr("h.csv:2: a mark has 65 bytes"));
  EXPECT_THAT(ErrorOf("i.csv", "time\n"), HasSubstr("i.csv: no events"));
  EXPECT_THAT(ErrorOf("b.jsonl", "{\"times\": [1]}\n[1]\n"), HasSubstr("b.jsonl:2: no JSON object"));
  EXPECT_THAT(ErrorOf("c.jsonl", "{\"times\": [1, \"x\"]}\n"), HasSubstr("c.jsonl:1: event 1: the time is no number"));
  EXPECT_THAT(ErrorOf("d.jsonl", "{\"times\": [1, 2], \"marks\": [1]}\n"), HasSubstr("d.jsonl:1: \"marks\""));
}

TEST(EventFileTest, AMissingFileIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(ReadEventFile("/nowhere.csv", 1).status()));
}

}  // namespace
}  // namespace aaren::events
