#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "client/cli/commands/command.h"
#include "tests/client/cli/temporary_file.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The refusal of a wrong command line by `aaren stream`; no server is asked.
std::string Refusal(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"--csv=rows.csv", "--target=nowhere.invalid:1"});
  testing::internal::CaptureStderr();
  const int status = RunStream(flags);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 2) << said;
  return said;
}

TEST(StreamCommandTest, AlertRateHasToLieBetweenZeroAndOne) {
  for (const std::string rate : {"0", "1", "-0.01", "1.5", "nan", "inf"}) {
    EXPECT_THAT(Refusal({"--alert=" + rate}), HasSubstr("--alert=" + rate + " is not between 0 and 1"));
  }
}

TEST(StreamCommandTest, AlertRateThatIsNoNumberIsNamed) {
  EXPECT_THAT(Refusal({"--alert=often"}), HasSubstr("--alert=often is not a number"));
}

TEST(StreamCommandTest, OnlyAlertsNeedARate) {
  EXPECT_THAT(Refusal({"--alerts_only"}), HasSubstr("--alerts_only needs --alert"));
}

TEST(StreamCommandTest, RecordOfOnlyAlertsIsRefused) {
  EXPECT_THAT(Refusal({"--alert=0.01", "--alerts_only", "--output=record.jsonl"}),
              AllOf(HasSubstr("--alerts_only"), HasSubstr("--output=record.jsonl")));
}

TEST(StreamCommandTest, TimeFormatThatIsNoneIsNamed) {
  EXPECT_THAT(Refusal({"--time_format=iso"}), HasSubstr("--time_format=iso is neither unix"));
}

// The words of `aaren stream` on standard error, for a file of two rows.
std::string Said(const FakeServer& server, std::vector<std::string> flags, int expected) {
  const TemporaryFile csv("a\n1\n2\n");
  flags.insert(flags.begin(), {"--csv=" + csv.path(), "--target=" + server.target(), "--horizon=2"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = RunStream(flags);
  testing::internal::GetCapturedStdout();
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, expected) << said;
  return said;
}

TEST(StreamCommandTest, WordsOfAForecasterAreRefusedWhetherItIsNamedOrTheDefault) {
  const FakeServer server;
  const std::string refusal = "--text is for --events=FILE and for classifiers; the model sum:3 is a forecaster";
  EXPECT_THAT(Said(server, {"--text"}, 1), HasSubstr(refusal));
  EXPECT_THAT(Said(server, {"--text", "--model=sum"}, 1), HasSubstr(refusal));
}

TEST(StreamCommandTest, WordsOfAKeptSessionAreRefusedByItsOwnModel) {
  const FakeServer server;
  Said(server, {"--session=kept"}, 0);
  EXPECT_THAT(Said(server, {"--session=kept", "--text"}, 1), HasSubstr("the model sum:3 is a forecaster"));
}

TEST(StreamCommandTest, ServerThatIsNotThereIsAskedAgainAndGivenUp) {
  FakeServer server;
  server.Stop();
  const std::string said = Said(server, {"--connect_timeout=500ms"}, 1);
  EXPECT_THAT(said, HasSubstr("no answer from " + server.target()));
  EXPECT_THAT(said, HasSubstr("models at " + server.target()));
}

// 141 is for a reader of the output who has left.
TEST(StreamCommandTest, DurationThatEndsBeforeTheSessionIsOpenIsNamed) {
  FakeServer server;
  server.FailNextOpen(8, "no slot left", /*retry_ms=*/20, /*opens=*/1000);
  EXPECT_THAT(Said(server, {"--duration=200ms"}, 1), HasSubstr("stopped before session "));
}

// Streams the series x and y to a server that answers x only when the duration of all has passed.
void StreamLate(FakeServer& server, std::vector<std::string> flags) {
  server.Pause(true);
  std::thread late([&] {
    while (!server.exists("s:x")) std::this_thread::yield();
    absl::SleepFor(absl::Milliseconds(700));
    server.Pause(false);
  });
  flags.insert(flags.end(), {"--target=" + server.target(), "--session=s", "--duration=700ms"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = RunStream(flags);
  testing::internal::GetCapturedStdout();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 0) << said;
  late.join();
}

TEST(StreamCommandTest, DurationIsThatOfAllSeriesOfAFileTogether) {
  FakeServer server;
  const TemporaryFile csv("host,a\nx,1\nx,2\ny,3\n");
  StreamLate(server, {"--csv=" + csv.path(), "--series_column=host", "--horizon=2"});
  EXPECT_EQ(server.next_seq("s:x"), 2u);
  EXPECT_FALSE(server.exists("s:y"));
}

TEST(StreamCommandTest, DurationIsThatOfAllSeriesOfEventsTogether) {
  FakeServer server({.events = true});
  const TemporaryFile events("time,mark,series\n1,a,x\n2,b,x\n3,a,y\n");
  StreamLate(server, {"--events=" + events.path(), "--model=sum", "--spans=1s"});
  EXPECT_EQ(server.next_seq("s:x"), 2u);
  EXPECT_FALSE(server.exists("s:y"));
}

// A pipe stays open behind a single row; later rows would have told day and month apart.
TEST(StreamCommandTest, LiveRowIsForecastBeforeTheNextOneComes) {
  FakeServer server;
  const TemporaryFile output;
  const std::string pipe = output.path() + ".pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  testing::internal::CaptureStderr();
  std::thread stream([&] {
    EXPECT_EQ(RunStream({"--csv=" + pipe, "--target=" + server.target(), "--horizon=2", "--output=" + output.path()}),
              0);
  });
  std::ofstream writer(pipe);
  writer << "date,a\n1/2/2020 0:00,5\n" << std::flush;
  while (output.Read().empty()) std::this_thread::yield();
  writer.close();
  stream.join();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("taken as month/day/year"));
}

}  // namespace
}  // namespace aaren::cli
