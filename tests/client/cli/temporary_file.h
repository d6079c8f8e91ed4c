#ifndef AAREN_TESTS_CLIENT_CLI_TEMPORARY_FILE_H_
#define AAREN_TESTS_CLIENT_CLI_TEMPORARY_FILE_H_

// A path unique to the test, in a folder removed after the test.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace aaren::cli {

class TemporaryFile {
 public:
  TemporaryFile() : folder_(testing::TempDir() + "aaren-XXXXXX") {
    if (mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "no folder " << folder_;
  }
  explicit TemporaryFile(const std::string& contents) : TemporaryFile() { Write(contents); }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return folder_ + "/file"; }
  void Write(const std::string& contents) const { std::ofstream(path(), std::ios::binary) << contents; }
  std::string Read() const {
    std::ifstream file(path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  std::string folder_;
};

}  // namespace aaren::cli

#endif  // AAREN_TESTS_CLIENT_CLI_TEMPORARY_FILE_H_
