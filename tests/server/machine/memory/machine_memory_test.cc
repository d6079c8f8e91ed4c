#include "server/machine/memory/machine_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace aaren::memory {
namespace {

namespace fs = std::filesystem;

class MachineMemoryTest : public ::testing::Test {
 protected:
  MachineMemoryTest() { Write("proc/meminfo", "MemTotal:       2048 kB\nMemFree:  7 kB\n"); }
  ~MachineMemoryTest() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  uint64_t Memory() const { return MachineMemory(root_.string() + "/"); }

  const fs::path root_ =
      fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MachineMemoryTest, IsThatOfTheMachine) { EXPECT_EQ(Memory(), 2048u << 10); }

TEST_F(MachineMemoryTest, IsTheControlGroupsWhereThatIsLess) {
  Write("sys/fs/cgroup/memory.max", "1000000\n");
  EXPECT_EQ(Memory(), 1'000'000u);
}

TEST_F(MachineMemoryTest, IsTheMachinesWhereTheControlGroupHasNoLimit) {
  Write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(Memory(), 2048u << 10);
}

TEST_F(MachineMemoryTest, IsTheLeastOfAllGroupsAroundTheProcess) {
  Write("proc/self/cgroup", "0::/machine.slice/app.service/inner\n");
  Write("sys/fs/cgroup/machine.slice/memory.max", "900000\n");
  Write("sys/fs/cgroup/machine.slice/app.service/memory.max", "1000000\n");
  Write("sys/fs/cgroup/machine.slice/app.service/inner/memory.max", "max\n");
  Write("sys/fs/cgroup/other.slice/memory.max", "5\n");
  EXPECT_EQ(Memory(), 900'000u);
  Write("sys/fs/cgroup/machine.slice/app.service/memory.max", "800000\n");
  EXPECT_EQ(Memory(), 800'000u);
}

TEST_F(MachineMemoryTest, IsTheLeastOfAllGroupsOfTheFirstVersionToo) {
  Write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/outer/inner\n0::/y\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("sys/fs/cgroup/memory/outer/memory.limit_in_bytes", "700000\n");
  Write("sys/fs/cgroup/memory/outer/inner/memory.limit_in_bytes", "9223372036854771712\n");
  Write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "5\n");
  EXPECT_EQ(Memory(), 700'000u);
}

TEST_F(MachineMemoryTest, IsTheContainersWhereItsGroupIsSeenFromOutside) {
  Write("proc/self/cgroup", "0::/../elsewhere\n4:memory:/kubepods/pod7\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "600000\n");
  EXPECT_EQ(Memory(), 600'000u);
}

TEST(MachineMemoryHereTest, IsFound) { EXPECT_GT(MachineMemory(), 64u << 20); }

}  // namespace
}  // namespace aaren::memory
