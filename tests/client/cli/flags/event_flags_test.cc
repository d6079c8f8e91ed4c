#include "client/cli/flags/event_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Status Parse(EventFlags& events, const std::vector<std::string>& arguments) {
  command_line::Flags flags("test", "");
  events.AddTo(flags);
  const absl::Status status = flags.Parse(arguments).status();
  return status.ok() ? events.Check() : status;
}

TEST(EventFlagsTest, SpansAreOfAnyUnit) {
  EventFlags events;
  ASSERT_TRUE(Parse(events, {"--spans=250ms,10s,1.5h,2d,1w"}).ok());
  EXPECT_THAT(events.Output().spans_s, ElementsAre(0.25, 10, 5400, 172800, 604800));
  EXPECT_THAT(events.spans(), ElementsAre("250ms", "10s", "1.5h", "2d", "1w"));
}

TEST(EventFlagsTest, SpansThatDoNotAscendAreRefused) {
  for (const std::string spans : {"1m,1m", "1h,1m", "soon", "0s", "-1s"}) {
    EventFlags events;
    EXPECT_THAT(std::string(Parse(events, {"--spans=" + spans}).message()), HasSubstr("no list of spans")) << spans;
  }
}

TEST(EventFlagsTest, TheScaleIsInNanoseconds) {
  EventFlags events;
  ASSERT_TRUE(Parse(events, {"--unit=1h", "--resolution=1ms", "--overdue=0.99", "--marks=0"}).ok());
  EXPECT_EQ(events.scale.Scale().unit_ns, 3'600'000'000'000);
  EXPECT_EQ(events.scale.Scale().resolution_ns, 1'000'000);
  EXPECT_EQ(events.Output().overdue, 0.99f);
  EXPECT_EQ(events.Output().marks, 0u);
}

TEST(EventFlagsTest, OverdueIsAQuantileOrNever) {
  EventFlags events;
  EXPECT_THAT(std::string(Parse(events, {"--overdue=0.9999"}).message()), HasSubstr("--overdue=0.9999 is not 0.5"));
  EXPECT_TRUE(Parse(events, {"--overdue=0"}).ok());
}

}  // namespace
}  // namespace aaren::cli
