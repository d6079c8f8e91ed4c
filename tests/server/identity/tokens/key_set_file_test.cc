#include "server/identity/tokens/key_set_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/server/identity/tokens/token_maker.h"

namespace aaren::identity {
namespace {

using ::testing::HasSubstr;

class KeySetFileTest : public testing::Test {
 protected:
  ~KeySetFileTest() override { std::filesystem::remove(path_); }

  void Write(const std::string& text, std::chrono::seconds from_now = -std::chrono::minutes(1)) const {
    std::ofstream(path_, std::ios::trunc) << text;
    std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() + from_now);
  }

  static bool Knows(const KeySetFile& file, const TokenMaker& maker) {
    return file.Get()->Verify(maker.Sign(R"({"alg":"ES256"})", "{}")).ok();
  }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/keys_", getpid());
  const TokenMaker old_ = TokenMaker::Ec(), new_ = TokenMaker::Ec();
};

TEST_F(KeySetFileTest, TellsWhyItCannotBeOpened) {
  EXPECT_THAT(KeySetFile::Open(path_).status().message(), HasSubstr(path_));
  Write("{}");
  EXPECT_THAT(KeySetFile::Open(path_).status().message(), HasSubstr(absl::StrCat(path_, ": no JWKS")));
}

TEST_F(KeySetFileTest, KeysThatWereExchangedHoldFromTheNextLookOn) {
  Write(old_.Jwks());
  const auto file = KeySetFile::Open(path_).value();
  Write(new_.Jwks());
  EXPECT_TRUE(Knows(*file, old_));
  file->Look();
  EXPECT_TRUE(Knows(*file, new_));
  EXPECT_FALSE(Knows(*file, old_));
}

TEST_F(KeySetFileTest, KeepsTheKeysWhileTheFileIsBadOrGone) {
  Write(old_.Jwks());
  const auto file = KeySetFile::Open(path_).value();
  Write(R"({"keys":[)");
  file->Look();
  EXPECT_TRUE(Knows(*file, old_));
  std::filesystem::remove(path_);
  file->Look();
  EXPECT_TRUE(Knows(*file, old_));
  Write(new_.Jwks());
  file->Look();
  EXPECT_FALSE(Knows(*file, old_));
}

TEST_F(KeySetFileTest, SetWithoutKeysLetsNobodyIn) {
  Write(old_.Jwks());
  const auto file = KeySetFile::Open(path_).value();
  Write(R"({"keys":[]})");
  file->Look();
  EXPECT_FALSE(Knows(*file, old_));
}

TEST_F(KeySetFileTest, FileThatIsBeingWrittenIsLeftForASecond) {
  Write(old_.Jwks());
  const auto file = KeySetFile::Open(path_).value();
  Write(new_.Jwks(), std::chrono::hours(1));  // dated like a write just now
  file->Look();
  EXPECT_TRUE(Knows(*file, old_));
  file->Look();
  EXPECT_TRUE(Knows(*file, new_));
}

}  // namespace
}  // namespace aaren::identity
