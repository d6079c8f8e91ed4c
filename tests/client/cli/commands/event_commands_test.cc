// aaren stream and aaren evaluate with --events, against a FakeServer that sums the numbers of marks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/cli/commands/command.h"
#include "tests/client/cli/temporary_file.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int status;
  std::string out, err;
};

Outcome Call(int (*command)(Arguments), const std::vector<std::string>& flags) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome run{.status = command(flags), .out = {}, .err = {}};
  run.out = testing::internal::GetCapturedStdout();
  run.err = testing::internal::GetCapturedStderr();
  return run;
}

TEST(EventCommandsTest, WrongFlagsAreNamed) {
  const std::string target = "--target=nowhere.invalid:1";
  EXPECT_THAT(Call(RunStream, {target, "--csv=a", "--events=b"}).err,
              HasSubstr("give one of --csv=FILE, --events=FILE"));
  EXPECT_THAT(Call(RunStream, {target, "--events=a", "--overdue=0.3"}).err, HasSubstr("--overdue=0.3 is not 0.5"));
  EXPECT_THAT(Call(RunStream, {target, "--events=a", "--spans=1h,1m"}).err, HasSubstr("each longer than the span"));
  EXPECT_THAT(Call(RunStream, {target, "--events=a", "--text", "--output=r"}).err, HasSubstr("--output=r needs JSON"));
  EXPECT_THAT(Call(RunStream, {target, "--events=a", "--step=1h"}).err, HasSubstr("--step is for --csv=FILE"));
  EXPECT_THAT(Call(RunEvaluate, {target}).err, HasSubstr("give at least one --csv=FILE, or --events=FILE"));
}

TEST(EventCommandsTest, ABadRowIsNamedByFileLineAndColumn) {
  const TemporaryFile file("time,mark\n1,a\nsoon,b\n");
  for (const auto command : {RunStream, RunEvaluate}) {
    const Outcome run = Call(command, {"--target=nowhere.invalid:1", "--events=" + file.path()});
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.err, HasSubstr(file.path() + ": line 3, column \"time\": \"soon\" is no time"));
  }
}

TEST(EventCommandsTest, ASeriesHasASessionOfItsOwn) {
  FakeServer server({.events = true});
  const TemporaryFile file("time,mark,series\n1,a,x y\n2,b,z\n3,a,x y\n");
  const Outcome run = Call(RunStream, {"--target=" + server.target(), "--events=" + file.path(), "--model=sum",
                                       "--session=s", "--text", "--marks=1", "--spans=1s"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(server.exists("s:x%20y"));
  EXPECT_EQ(server.next_seq("s:z"), 1u);
  EXPECT_THAT(run.out, HasSubstr("3  a  next in"));
  EXPECT_THAT(run.out, HasSubstr("within 1s 100 %  then a 75 %\n"));
}

TEST(EventCommandsTest, AServerWithoutAModelOfEventsIsSaid) {
  FakeServer server;
  const TemporaryFile file("time\n1\n");
  EXPECT_THAT(Call(RunStream, {"--target=" + server.target(), "--events=" + file.path()}).err,
              HasSubstr("has no model of events; --model names one"));
}

TEST(EventCommandsTest, AnEvaluationPrintsTablesAndWritesTheReport) {
  FakeServer server({.events = true});
  const TemporaryFile file("time,mark\n1,a\n2,b\n4,b\n4,a\n"), report;
  const Outcome run = Call(RunEvaluate, {"--target=" + server.target(), "--events=" + file.path(), "--model=sum",
                                         "--report=" + report.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 series, model sum:3, 2 events scored"));
  EXPECT_THAT(run.out, HasSubstr("Hawkes, refitted"));
  EXPECT_THAT(run.err, HasSubstr("1 event at the time of the event before"));
  EXPECT_THAT(report.Read(), HasSubstr("aaren evaluate"));
}

}  // namespace
}  // namespace aaren::cli
