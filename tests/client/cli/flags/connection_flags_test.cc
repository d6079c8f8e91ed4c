#include "client/cli/flags/connection_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

absl::Status Of(const std::string& target) {
  ConnectionFlags flags;
  flags.target = target;
  return flags.Channel().status();
}

TEST(ConnectionFlagsTest, EmptyTargetIsNamed) {
  EXPECT_THAT(std::string(Of("").message()), HasSubstr("--target is empty"));
}

TEST(ConnectionFlagsTest, PortThatIsNoneIsNamed) {
  for (const char* target : {"localhost:99999", "127.0.0.1:0", "[::1]:65536", "host:99999999999999999999"}) {
    EXPECT_THAT(std::string(Of(target).message()), HasSubstr("is no port")) << target;
  }
}

TEST(ConnectionFlagsTest, AddressWithoutAPortIsNamed) {
  EXPECT_THAT(std::string(Of("127.0.0.1").message()), HasSubstr("--target=127.0.0.1 has no port"));
}

// Metadata of a call, or why the file is refused.
absl::Status OfToken(const std::string& path) {
  ConnectionFlags flags;
  flags.token_file = path;
  return flags.Channel().status();
}

TEST(ConnectionFlagsTest, ATokenFileWithoutAnEndIsNamed) {
  EXPECT_THAT(std::string(OfToken("/dev/zero").message()), HasSubstr("/dev/zero has no line"));
}

TEST(ConnectionFlagsTest, ATokenIsTheFirstLineOfItsFile) {
  const std::string path = testing::TempDir() + "/connection_flags_token";
  std::ofstream(path) << "  secret \nmore\n" << std::string(1 << 15, 'x');
  EXPECT_TRUE(OfToken(path).ok()) << OfToken(path);
}

TEST(ConnectionFlagsTest, ATokenFileThatIsEmptyOrAFolderIsNamed) {
  EXPECT_THAT(std::string(OfToken("/dev/null").message()), HasSubstr("/dev/null has no token"));
  EXPECT_THAT(std::string(OfToken("/").message()), HasSubstr("cannot read /"));
}

TEST(ConnectionFlagsTest, WhatGrpcCanResolveIsLeftToIt) {
  for (const char* target : {"localhost:7860", "[::1]:7860", "dns:///host", "unix:/tmp/socket", "unix:5", "host",
                             "fe80::0", "ipv4:10.0.0.1:7860,10.0.0.2:7860", "[::1]"}) {
    EXPECT_TRUE(Of(target).ok()) << target << ": " << Of(target);
  }
}

}  // namespace
}  // namespace aaren::cli
