// Every target over its seeds, in builds without libFuzzer.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

std::vector<std::filesystem::path> SeedsOf(const Target& target) {
  std::vector<std::filesystem::path> seeds;
  for (const auto& file : std::filesystem::directory_iterator(std::string(AAREN_SEEDS "/") + target.name)) {
    seeds.push_back(file.path());
  }
  return seeds;
}

class SeedsTest : public testing::TestWithParam<Target> {};

TEST_P(SeedsTest, BreakNoPromise) {
  const std::vector<std::filesystem::path> seeds = SeedsOf(GetParam());
  EXPECT_FALSE(seeds.empty());
  for (const std::filesystem::path& path : seeds) {
    SCOPED_TRACE(path.string());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    GetParam().run(bytes);
    GetParam().run(bytes.substr(0, bytes.size() / 2));
  }
  GetParam().run("");
}

INSTANTIATE_TEST_SUITE_P(Of, SeedsTest, testing::ValuesIn(Targets().begin(), Targets().end()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace aaren::fuzz
