// The compiled kernel must fit each kind of GPU and keep the arithmetic of the source.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kReports[] = AAREN_KERNEL_REPORTS;  // a folder, or nothing

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Use {
  int registers = 0, stack_bytes = 0, spilled_bytes = 0, barriers = 0;
};

// The number in a report of ptxas, found by `pattern`; -1: none.
int Number(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? std::stoi(match[1]) : -1;
}

Use UseIn(const std::string& report) {
  return {.registers = Number(report, "Used ([0-9]+) registers"),
          .stack_bytes = Number(report, "([0-9]+) bytes stack frame"),
          .spilled_bytes = Number(report, "([0-9]+) bytes spill stores"),
          .barriers = Number(report, "used ([0-9]+) barriers")};
}

// By report, from lines "sm_80 registers 128 stack 0 spills 0 barriers 1".
std::map<std::string, Use> Budgets() {
  std::map<std::string, Use> budgets;
  std::ifstream file(AAREN_KERNEL_BUDGET);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string architecture, word;
    Use use;
    words >> architecture >> word >> use.registers >> word >> use.stack_bytes >> word >> use.spilled_bytes >> word >>
        use.barriers;
    EXPECT_FALSE(words.fail()) << line;
    budgets[architecture] = use;
  }
  return budgets;
}

TEST(KernelBudgetTest, EveryKindOfGpuHoldsTheKernel) {
  if (std::string(kReports).empty()) GTEST_SKIP() << "this build has no CUDA compiler of 12.8 or newer";
  const std::map<std::string, Use> budgets = Budgets();
  ASSERT_EQ(budgets.size(), 5u);
  for (const auto& [architecture, budget] : budgets) {
    const std::string report = ReadFile(std::string(kReports) + "/" + architecture + ".txt");
    const Use use = UseIn(report);
    ASSERT_GT(use.registers, 0) << architecture << ": " << report;
    EXPECT_LE(use.registers, budget.registers) << architecture;
    EXPECT_LE(use.stack_bytes, budget.stack_bytes) << architecture;
    EXPECT_LE(use.spilled_bytes, budget.spilled_bytes) << architecture;
    EXPECT_EQ(use.barriers, budget.barriers) << architecture;
  }
}

// All machine code is made from the PTX assembler under test.
TEST(KernelBudgetTest, TheArithmeticIsTheExactTiers) {
  if (std::string(kReports).empty()) GTEST_SKIP() << "this build has no CUDA compiler of 12.8 or newer";
  for (const char* file : {"/kernel.ptx", "/stream_0.ptx", "/stream_6.ptx"}) {
    const std::string text = ReadFile(std::string(kReports) + file);
    ASSERT_THAT(text, HasSubstr("fma.rn.f32")) << file;
    EXPECT_THAT(text, Not(HasSubstr(".ftz"))) << "subnormal numbers are kept";
    EXPECT_THAT(text, Not(HasSubstr(".approx"))) << "no instruction is approximate";
    EXPECT_THAT(text, Not(HasSubstr(".full"))) << "division is IEEE";
    EXPECT_THAT(text, Not(HasSubstr("fma.rn.f64"))) << "no product of doubles is fused with a sum";
  }
}

}  // namespace
}  // namespace aaren::engine
