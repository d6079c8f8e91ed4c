#include "server/machine/cores/cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace aaren::cores {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> Parse(const std::string& list) { return *ParseList(list, {0, 1, 2, 3, 8, 9}); }

std::string WhyNot(const std::string& list) {
  return std::string(ParseList(list, {0, 1, 2, 3, 8, 9}).status().message());
}

TEST(CoresTest, ListKeepsItsOrder) { EXPECT_THAT(Parse("8,0-2"), ElementsAre(8, 0, 1, 2)); }

TEST(CoresTest, RangeMayBeOne) { EXPECT_THAT(Parse("3-3"), ElementsAre(3)); }

TEST(CoresTest, WhatIsNoListIsRefused) {
  for (const char* list : {"", ",", "1,", "x", "1-", "-1", "2-1", "0-1-2", "0;1", "99999999999", "0-4000000000"}) {
    EXPECT_THAT(WhyNot(list), HasSubstr("is no list of cores such as 0-3,8")) << list;
  }
}

TEST(CoresTest, CoreThatIsNamedTwiceIsRefused) { EXPECT_EQ(WhyNot("0-2,1"), "\"0-2,1\" names core 1 twice"); }

TEST(CoresTest, CoreThatMayNotBeUsedIsRefused) {
  EXPECT_EQ(WhyNot("0-4"), "\"0-4\" names core 4, which this process may not use");
}

TEST(CoresTest, ThreadKeepsToItsCore) {
  const int core = Allowed().back();
  std::thread thread([core] {
    ASSERT_TRUE(KeepTo(core).ok());
    EXPECT_THAT(Allowed(), ElementsAre(core));
    EXPECT_EQ(sched_getcpu(), core);
  });
  thread.join();
}

TEST(CoresTest, CoreThatIsNotThereCannotBeKeptTo) { EXPECT_THAT(KeepTo(1023).message(), HasSubstr("core 1023")); }

class CountTest : public testing::Test {
 protected:
  ~CountTest() override { fs::remove_all(root_); }

  int CountWith(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
    return Count(root_.string() + "/");
  }

  const int all_ = static_cast<int>(Allowed().size());
  const fs::path root_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(CountTest, IsOfThoseThatMayBeUsed) { EXPECT_EQ(Count(root_.string() + "/"), all_); }

TEST_F(CountTest, IsWhatTheControlGroupHasTimeForRoundedUp) {
  EXPECT_EQ(CountWith("sys/fs/cgroup/cpu.max", "50000 100000\n"), 1);
  EXPECT_EQ(CountWith("sys/fs/cgroup/cpu.max", "100001 100000\n"), std::min(2, all_));
}

TEST_F(CountTest, IsOfAllWithoutALimit) { EXPECT_EQ(CountWith("sys/fs/cgroup/cpu.max", "max 100000\n"), all_); }

TEST_F(CountTest, IsNoMoreThanThereAre) { EXPECT_EQ(CountWith("sys/fs/cgroup/cpu.max", "99900000 100000\n"), all_); }

TEST_F(CountTest, IsWhatTheLeastOfAllGroupsAroundTheProcessHasTimeFor) {
  CountWith("proc/self/cgroup", "0::/machine.slice/app.service\n3:cpu,cpuacct:/outer/inner\n");
  CountWith("sys/fs/cgroup/machine.slice/app.service/cpu.max", "max 100000\n");
  EXPECT_EQ(CountWith("sys/fs/cgroup/machine.slice/cpu.max", "70000 100000\n"), 1);
  CountWith("sys/fs/cgroup/machine.slice/cpu.max", "max 100000\n");
  CountWith("sys/fs/cgroup/cpu,cpuacct/outer/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CountWith("sys/fs/cgroup/cpu,cpuacct/outer/cpu.cfs_quota_us", "60000\n"), 1);
}

TEST_F(CountTest, ReadsTheFilesOfTheFirstVersionToo) {
  CountWith("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CountWith("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "90000\n"), 1);
  EXPECT_EQ(CountWith("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"), all_);
}

}  // namespace
}  // namespace aaren::cores
