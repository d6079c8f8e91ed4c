// MKL asks the program if the CPU is Intel's, and the answer is yes.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren::training {
namespace {

constexpr char kSymbol[] = "mkl_serv_intel_cpu_true";

std::string FileOf(void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? std::filesystem::canonical(info.dli_fname).string() : "";
}

// MKL's own function of that name in LibTorch; null if LibTorch multiplies with another library.
void* OfMkl() { return dlsym(RTLD_NEXT, kSymbol); }

TEST(MklIntelCpuTest, TheFirstSymbolOfTheNameIsTheProgramsAndSaysYes) {
  void* found = dlsym(RTLD_DEFAULT, kSymbol);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(FileOf(found), std::filesystem::canonical("/proc/self/exe"));
  EXPECT_EQ(reinterpret_cast<int (*)()>(found)(), 1);
}

// Reads the binding from the dynamic linker, which binds all symbols of a program at its start.
void ExpectMklBoundTo(const std::string& program, const std::string& arguments) {
  const std::string folder =
      absl::StrCat(testing::TempDir(), "bindings_", std::filesystem::path(program).filename().string());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string command = absl::StrCat("LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT=", folder, "/log ", program,
                                           arguments, " > ", folder, "/out");
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  bool asks = false;
  for (const auto& log : std::filesystem::directory_iterator(folder)) {
    std::ifstream lines(log.path());
    for (std::string line; std::getline(lines, line);) {
      if (!absl::StrContains(line, absl::StrCat("`", kSymbol, "'"))) continue;
      asks = true;
      EXPECT_TRUE(absl::StrContains(line, absl::StrCat(" to ", program, " "))) << line;
    }
  }
  EXPECT_TRUE(asks) << "nothing in " << program << " refers to " << kSymbol;
  std::filesystem::remove_all(folder);
}

TEST(MklIntelCpuTest, AarenTrainIsAsked) {
  if (OfMkl() == nullptr) GTEST_SKIP() << "LibTorch " << TORCH_VERSION << " has no MKL here";
  ExpectMklBoundTo(AAREN_TRAIN_PROGRAM, " --help");
}

TEST(MklIntelCpuTest, AarenBenchIsAsked) {
  if (OfMkl() == nullptr) GTEST_SKIP() << "LibTorch " << TORCH_VERSION << " has no MKL here";
  ExpectMklBoundTo(AAREN_BENCH_PROGRAM, "");
}

}  // namespace
}  // namespace aaren::training
