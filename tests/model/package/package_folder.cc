#include "tests/model/package/package_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/package/sha256.h"
#include "tests/model/engine/random_package.h"

namespace aaren::package {

PackageFolder::PackageFolder() : package_(engine::RandomPackage(engine::TinyConfig(), 1)) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  path_ = testing::TempDir() + "aaren_" + test->test_suite_name() + "_" + test->name();
  std::filesystem::remove_all(path_);
  const absl::Status status = SavePackage(path_, package_);
  EXPECT_TRUE(status.ok()) << status;
}

PackageFolder::~PackageFolder() { std::filesystem::remove_all(path_); }

std::string PackageFolder::Read(const std::string& file) const {
  std::ifstream stream(path_ + "/" + file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

void PackageFolder::Write(const std::string& file, const std::string& bytes) const {
  std::ofstream(path_ + "/" + file, std::ios::binary) << bytes;
}

void PackageFolder::EditManifest(const std::string& text, const std::string& replacement) const {
  std::string manifest = Read("model.json");
  const size_t at = manifest.find(text);
  ASSERT_NE(at, std::string::npos) << text;
  ASSERT_EQ(manifest.find(text, at + 1), std::string::npos) << text;
  Write("model.json", manifest.replace(at, text.size(), replacement));
}

void PackageFolder::ReplaceWeights(const std::string& bytes) const {
  EditManifest(Sha256({Read("weights.safetensors")}), Sha256({bytes}));
  Write("weights.safetensors", bytes);
}

}  // namespace aaren::package
