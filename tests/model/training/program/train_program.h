#ifndef AAREN_TESTS_MODEL_TRAINING_PROGRAM_TRAIN_PROGRAM_H_
#define AAREN_TESTS_MODEL_TRAINING_PROGRAM_TRAIN_PROGRAM_H_

// aaren-train, run as a user runs the program. The build defines AAREN_TRAIN_PROGRAM, the program's path.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"

namespace aaren::training {

// A folder of the present test.
inline std::string Folder() {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string folder = absl::StrCat(::testing::TempDir(), "/train_", test, "_", getpid());
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  int exit_code;
  std::string text;  // standard output and standard error
};

// `environment` stands before the program's name, like "PATH=/nowhere ".
inline Outcome Execute(const std::string& arguments, const std::string& environment = "") {
  FILE* pipe = popen((environment + AAREN_TRAIN_PROGRAM + arguments + " 2>&1").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) outcome.text.append(buffer.data(), count);
  outcome.exit_code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

// Expects exit status 2 and a message that names the culprit.
inline void ExpectUserError(const std::string& arguments, const std::string& culprit) {
  const Outcome outcome = Execute(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
  EXPECT_THAT(outcome.text, ::testing::HasSubstr(culprit));
}

}  // namespace aaren::training

#endif  // AAREN_TESTS_MODEL_TRAINING_PROGRAM_TRAIN_PROGRAM_H_
