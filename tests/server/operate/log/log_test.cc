#include "server/operate/log/log.h"

#include <gtest/gtest.h>

#include <string>

namespace aaren::log {
namespace {

// The output of `write` on standard error.
template <typename Write>
std::string Captured(Write write) {
  testing::internal::CaptureStderr();
  write();
  return testing::internal::GetCapturedStderr();
}

TEST(LogTest, TextQuotesOnlyWhatNeedsIt) {
  SetUpLog(LogFormat::kText, LogLevel::kInfo);
  const std::string line = Captured([] {
    Log(LogLevel::kInfo, "listening", {{"address", "127.0.0.1:1"}, {"peer", "a \"b\"\n"}, {"client", ""}});
  });
  EXPECT_NE(line.find("Z info listening address=127.0.0.1:1 peer=\"a \\\"b\\\"\\n\" client=\"\"\n"), std::string::npos)
      << line;
}

TEST(LogTest, JsonEscapesEvenBytesThatAreNotText) {
  SetUpLog(LogFormat::kJson, LogLevel::kInfo);
  const std::string line = Captured([] { Log(LogLevel::kError, "refused", {{"reason", "\"\xff\n{}"}}); });
  EXPECT_NE(line.find(R"(Z","level":"error","event":"refused","reason":"\"\ufffd\n{}"})"), std::string::npos) << line;
}

TEST(LogTest, LevelsBelowTheLeastAreSilent) {
  SetUpLog(LogFormat::kText, LogLevel::kWarning);
  EXPECT_EQ(Captured([] { Log(LogLevel::kInfo, "serving"); }), "");
}

}  // namespace
}  // namespace aaren::log
