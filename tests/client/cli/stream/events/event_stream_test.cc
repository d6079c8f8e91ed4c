// Streams of events against a FakeServer that sums the numbers of marks: a line tells which events were taken.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/sources/events/file_events.h"
#include "client/cli/stream/forecast_stream.h"
#include "tests/client/cli/temporary_file.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kEvents = 300;

class EventStreamTest : public ::testing::Test {
 protected:
  EventStreamTest() {
    std::string rows = "time,mark\n";
    for (int i = 0; i < kEvents; ++i) absl::StrAppend(&rows, 1'700'000'000 + i / 2, ",mark ", i % 7, "\n");
    file_.Write(rows);
    series_ = *ReadEventFile(file_.path(), {}, false);
    for (const Event& event : series_[0].events) names_.Add(event.mark).IgnoreError();
  }

  absl::Status Stream(const std::string& output, const std::string& session) {
    FileEvents source("events.csv", series_[0], false);
    auto file = OutputFile::Open(output, source.columns());
    if (!file.ok()) return file.status();
    EventStreamOptions events;
    events.output.spans_s = {0.5};
    events.output.marks = 1;
    events.output.overdue = 0.99f;
    events.spans = {"500ms"};
    events.names = &names_;
    ForecastStreamOptions options;
    options.target = server_.target();
    options.session = session;
    options.events = &events;
    options.durable = true;
    Interrupt interrupt;
    ForecastStream stream(options, source, file->get(), nullptr, interrupt);
    return stream.Run();
  }

  FakeServer server_{{.events = true}};
  TemporaryFile file_, output_, other_;
  std::vector<EventSeries> series_;
  client::MarkNames names_;
};

TEST_F(EventStreamTest, ALineHasTheEventAndTheNext) {
  ASSERT_TRUE(Stream(output_.path(), "s").ok());
  const std::vector<std::string> lines = absl::StrSplit(output_.Read(), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), static_cast<size_t>(kEvents));
  EXPECT_THAT(lines[3], StartsWith("{\"seq\":3,\"time\":\"1700000001\",\"series\":\"events\",\"mark\":\"mark 3\","));
  EXPECT_THAT(lines[3], HasSubstr("\"within\":{\"500ms\":0.5},\"marks\":[{\"mark\":\"mark 3\",\"probability\":0.75}]"));
}

TEST_F(EventStreamTest, CutsLeaveTheSameRecord) {
  ASSERT_TRUE(Stream(other_.path(), "whole").ok());
  server_.CutAt({2, 4, 5, 8});
  ASSERT_TRUE(Stream(output_.path(), "cut").ok());
  EXPECT_EQ(output_.Read(), other_.Read());
}

// The second run has the whole file, and the record of the first half of it.
TEST_F(EventStreamTest, ARecordGoesOnWhereItEnds) {
  ASSERT_TRUE(Stream(other_.path(), "whole").ok());
  const std::vector<Event> events = series_[0].events;
  series_[0].events.resize(kEvents / 2);
  ASSERT_TRUE(Stream(output_.path(), "s").ok());
  series_[0].events = events;
  ASSERT_TRUE(Stream(output_.path(), "s").ok());
  EXPECT_EQ(output_.Read(), other_.Read());
}

TEST_F(EventStreamTest, AnOverdueEventIsSaidToPeopleAndNotInTheRecord) {
  testing::internal::CaptureStderr();
  ASSERT_TRUE(Stream(output_.path(), "s").ok());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is overdue since 2023-11-14T22:"));
  EXPECT_THAT(output_.Read(), testing::Not(HasSubstr("overdue")));
}

}  // namespace
}  // namespace aaren::cli
