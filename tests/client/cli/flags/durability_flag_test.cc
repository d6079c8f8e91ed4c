#include "client/cli/flags/durability_flag.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

absl::StatusOr<client::Durability> ReadDurability(const std::vector<std::string>& arguments) {
  DurabilityFlag durability;
  command_line::Flags flags("aaren test", "Tests.");
  durability.AddTo(flags);
  if (absl::Status status = flags.Parse(arguments).status(); !status.ok()) return status;
  return durability.Durability();
}

TEST(DurabilityFlagTest, WithoutItTheServerDecides) {
  EXPECT_EQ(*ReadDurability({}), client::Durability::kServerDefault);
}

TEST(DurabilityFlagTest, EachNameIsItsDurability) {
  EXPECT_EQ(*ReadDurability({"--durability=none"}), client::Durability::kNone);
  EXPECT_EQ(*ReadDurability({"--durability=interval"}), client::Durability::kInterval);
  EXPECT_EQ(*ReadDurability({"--durability=every_token"}), client::Durability::kEveryToken);
}

TEST(DurabilityFlagTest, AnotherNameIsRefused) {
  EXPECT_EQ(ReadDurability({"--durability=always"}).status().message(),
            "--durability=always is none of none, interval, every_token");
}

}  // namespace
}  // namespace aaren::cli
