#include "client/cli/sources/events/event_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

ByteSource Chunks(std::string text) {
  return [text = std::move(text)](char* buffer, size_t size) mutable -> absl::StatusOr<size_t> {
    const size_t taken = text.copy(buffer, size);
    text.erase(0, taken);
    return taken;
  };
}

struct Reading {
  std::vector<std::string> texts;  // "time mark series"
  std::vector<int64_t> times_ns;
  absl::Status status;
  EventFaults faults;
};

Reading ReadAll(const std::string& text, const EventFileOptions& options = {}, bool live = false) {
  Reading read;
  auto reader = EventReader::Open("e.csv", Chunks(text), options, live);
  read.status = reader.status();
  if (!reader.ok()) return read;
  Event event;
  absl::StatusOr<bool> any;
  while ((any = (*reader)->Next(event)).ok() && *any) {
    read.texts.push_back(event.time + " " + event.mark + " " + event.series);
    read.times_ns.push_back(event.time_ns);
  }
  read.status = any.status();
  read.faults = (*reader)->faults();
  return read;
}

std::string Refusal(const std::string& text, const EventFileOptions& options = {}) {
  return std::string(ReadAll(text, options).status.message());
}

TEST(EventReaderTest, ReadsCsvByTheNamesOfItsColumns) {
  const Reading read = ReadAll("series;MARK;time\nweb;log in;2024-01-01T00:00:01Z\n\nweb;;2024-01-01T00:00:02.5Z\n");
  EXPECT_THAT(read.texts, ElementsAre("2024-01-01T00:00:01Z log in web", "2024-01-01T00:00:02.5Z  web"));
  EXPECT_EQ(read.times_ns[1] - read.times_ns[0], 3 * kSecond / 2);
}

TEST(EventReaderTest, BlankLinesAndCommentsBeforeTheHeaderAreNoHeader) {
  for (const char* before : {"\n  \n", "# a, b, c\n", "\n# a, b, c\n\n#\n"}) {
    EXPECT_THAT(ReadAll(std::string(before) + "time;mark\n1;a\n").texts, ElementsAre("1 a ")) << before;
  }
}

TEST(EventReaderTest, ReadsJsonLinesOfEvents) {
  const Reading read =
      ReadAll("{\"time\": 12, \"mark\": \"a\\\"b\"}\n\n{\"mark\": 7, \"time\": \"13.25\", \"series\": \"x\"}");
  EXPECT_THAT(read.texts, ElementsAre("12 a\"b ", "13.25 7 x"));
  EXPECT_THAT(read.times_ns, ElementsAre(12 * kSecond, 13 * kSecond + kSecond / 4));
}

TEST(EventReaderTest, ReadsJsonLinesOfStreams) {
  const Reading read = ReadAll("{\"times\": [1, 2.5], \"marks\": [3, 1]}\n{\"times\": [0]}\n");
  EXPECT_THAT(read.texts, ElementsAre("1 3 1", "2.5 1 1", "0  2"));
}

TEST(EventReaderTest, TakesTheNamedColumns) {
  const EventFileOptions options = {.columns = {.time = "at", .mark = "who", .series = "where"}};
  EXPECT_THAT(ReadAll("at,who,where,mark\n5,me,here,no\n", options).texts, ElementsAre("5 me here"));
  EXPECT_THAT(ReadAll("{\"at\": 5, \"who\": \"me\", \"where\": \"here\"}\n", options).texts, ElementsAre("5 me here"));
}

TEST(EventReaderTest, NumbersMayBeOfAnyUnit) {
  const EventFileOptions hours = {.time_unit = absl::Hours(1)};
  EXPECT_THAT(ReadAll("time\n0.5\n-2\n", hours).times_ns, ElementsAre(1800 * kSecond, -7200 * kSecond));
  EXPECT_THAT(ReadAll("time\n1704067200500\n").times_ns, ElementsAre(1'704'067'200'500 * 1'000'000));
}

TEST(EventReaderTest, DayAndMonthAreToldApartByLaterRows) {
  const Reading read = ReadAll("time\n1/2/2024\n13/2/2024\n");
  EXPECT_EQ(read.times_ns[1] - read.times_ns[0], 12 * 86400 * kSecond);
}

TEST(EventReaderTest, NamesFileLineAndColumnOfABadRow) {
  EXPECT_THAT(Refusal("time,mark\n1,a\nsoon,b\n"), HasSubstr("e.csv: line 3, column \"time\": \"soon\" is no time of"));
  EXPECT_THAT(Refusal("time,mark\n1,a\n2\n"), HasSubstr("e.csv: line 3: 1 fields, and the header has 2"));
  EXPECT_THAT(Refusal("time,mark\n1," + std::string(65, 'x')), HasSubstr("line 2, column \"mark\""));
  EXPECT_THAT(Refusal("when,mark\n1,a\n"), HasSubstr("the header has no column called time, timestamp"));
  EXPECT_THAT(Refusal("time\n1\n", {.columns = {.mark = "who"}}), HasSubstr("--mark_column=who: the columns are time"));
  EXPECT_THAT(Refusal("time,mark\n1,\"a\n"), HasSubstr("e.csv: line 2: a quote is opened and never closed"));
  EXPECT_THAT(Refusal("{\"mark\": 1}"), HasSubstr("e.csv: line 1: no key \"time\""));
  EXPECT_THAT(Refusal("{\"time\": 1}\n[1]\n"), HasSubstr("e.csv: line 2: no JSON object"));
  EXPECT_THAT(Refusal("{\"times\": [1], \"marks\": []}"), HasSubstr("\"marks\" is no array as long as \"times\""));
  EXPECT_THAT(Refusal("{\"time\": [1]}"), HasSubstr("the time is array"));
  EXPECT_THAT(Refusal("\n \n"), HasSubstr("e.csv: the file is empty"));
}

TEST(EventReaderTest, TimesBeyondNanosecondsAreRefused) {
  EXPECT_THAT(Refusal("time\n1e6\n", {.time_unit = absl::Hours(24 * 365)}), HasSubstr("is more than 292 years from 0"));
}

TEST(EventReaderTest, APipeGoesOnBehindBadRows) {
  const Reading read = ReadAll("time,mark\nsoon,a\n1,b\n1\n2,\"c\"c\n3,d\n", {}, /*live=*/true);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.texts, ElementsAre("1 b ", "3 d "));
  EXPECT_EQ(read.faults.rows, 3u);
  EXPECT_THAT(read.faults.first, HasSubstr("line 2, column \"time\": \"soon\""));
}

TEST(EventReaderTest, UnitsAndFormatsExcludeEachOther) {
  EXPECT_FALSE(CheckEventFileOptions({.time_format = "unix", .time_unit = absl::Seconds(1)}).ok());
  EXPECT_FALSE(CheckEventFileOptions({.time_format = "iso"}).ok());
  EXPECT_TRUE(CheckEventFileOptions({.time_unit = absl::Seconds(1)}).ok());
}

}  // namespace
}  // namespace aaren::cli
