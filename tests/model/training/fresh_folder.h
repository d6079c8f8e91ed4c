#ifndef AAREN_TESTS_MODEL_TRAINING_FRESH_FOLDER_H_
#define AAREN_TESTS_MODEL_TRAINING_FRESH_FOLDER_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace aaren::training {

// A path of the present test, where nothing is. `kind` tells apart tests of one name.
inline std::string FreshFolder(const std::string& kind) {
  const std::string folder =
      ::testing::TempDir() + "/" + kind + "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

}  // namespace aaren::training

#endif  // AAREN_TESTS_MODEL_TRAINING_FRESH_FOLDER_H_
