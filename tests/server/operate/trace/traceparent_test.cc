// Examples from W3C's Trace Context (https://www.w3.org/TR/trace-context/, sections 3.2 and 4) and from its test
// suite.

#include "server/operate/trace/traceparent.h"

#include <gtest/gtest.h>

#include <string>

namespace aaren::trace {
namespace {

constexpr char kExample[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceparentTest, ReadsTheExampleOfTheSpecification) {
  const std::optional<SpanContext> context = ParseTraceparent(kExample);
  ASSERT_TRUE(context);
  EXPECT_EQ(Hex(context->trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(Hex(context->span), "00f067aa0ba902b7");
}

TEST(TraceparentTest, TakesACallerThatDoesNotSample) {
  EXPECT_TRUE(ParseTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"));
}

TEST(TraceparentTest, LeavesAloneWhatALaterVersionAdds) {
  EXPECT_TRUE(ParseTraceparent("cc-12345678901234567890123456789012-1234567890123456-01"));
  EXPECT_TRUE(ParseTraceparent("cc-12345678901234567890123456789012-1234567890123456-01-what-the-future-will-be-like"));
}

TEST(TraceparentTest, IgnoresWhatIsMalformed) {
  for (const char* text : {
           "",
           "00",
           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",  // no trace
           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",  // no parent
           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",  // upper case
           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",  // a forbidden version
           "cc-12345678901234567890123456789012-1234567890123456-01.and-more",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0X",
           ".0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
           "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
           "00-.bf92f3577b34da6a3ce929d0e0e47360-0f067aa0ba902b7-01",
           " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
       }) {
    EXPECT_FALSE(ParseTraceparent(text)) << text;
  }
}

TEST(TraceparentTest, IgnoresEveryBeginningOfIt) {
  const std::string text = kExample;
  for (size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(ParseTraceparent(text.substr(0, size))) << size;
}

}  // namespace
}  // namespace aaren::trace
