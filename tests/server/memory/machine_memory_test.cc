#include "server/memory/machine_memory.h"

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

TEST(MachineMemoryHereTest, IsFound) { EXPECT_GT(MachineMemory(), 64u << 20); }

}  // namespace
}  // namespace aaren::memory
