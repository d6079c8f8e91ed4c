#include "server/machine/file/watched_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"

namespace aaren::file {
namespace {

// The bytes that this process has read from files and pipes.
uint64_t BytesRead() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (counters >> name >> value) {
    if (name == "rchar:") return value;
  }
  return 0;
}

class WatchedFileTest : public testing::Test {
 protected:
  ~WatchedFileTest() override { std::filesystem::remove(path_); }

  void Write(const std::string& text, const std::string& path) const {
    std::ofstream(path, std::ios::trunc) << text;
    const timespec long_ago[2] = {{1'000'000, 0}, {1'000'000, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), long_ago, 0), 0);
  }
  void Write(const std::string& text) const { Write(text, path_); }

  // Waits until no write can fall into the tick of the read.
  static void Settle() { std::this_thread::sleep_for(std::chrono::milliseconds(1100)); }

  // The result of a look; "" without news.
  std::string Look() { return file_.Read().value().value_or(""); }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/watched_", getpid());
  WatchedFile file_{path_};
};

TEST_F(WatchedFileTest, AFileThatStandsIsReadOnce) {
  constexpr size_t kBytes = 4 << 20;
  Write(std::string(kBytes, 'x'));
  Settle();
  const uint64_t before = BytesRead();
  EXPECT_EQ(Look().size(), kBytes);
  EXPECT_GE(BytesRead() - before, kBytes);
  const uint64_t once = BytesRead();
  for (int look = 0; look < 10; ++look) EXPECT_EQ(Look(), "");
  EXPECT_LT(BytesRead() - once, kBytes);
}

TEST_F(WatchedFileTest, ATextOfTheSameLengthAndTimeIsNoticed) {
  Write("one");
  Settle();
  EXPECT_EQ(Look(), "one");
  Write("two");
  EXPECT_EQ(Look(), "two");
  Write("six");  // at once: within the same tick perhaps
  EXPECT_EQ(Look(), "six");
}

TEST_F(WatchedFileTest, AnotherFileInItsPlaceIsNoticed) {
  Write("one");
  Write("two", path_ + "_new");
  Settle();
  EXPECT_EQ(Look(), "one");
  std::filesystem::rename(path_ + "_new", path_);
  EXPECT_EQ(Look(), "two");
}

TEST_F(WatchedFileTest, ALinkThatIsTurnedToAnotherFileIsNoticed) {
  const std::string one = path_ + "_one", two = path_ + "_two";
  Write("one", one);
  Write("two", two);
  std::filesystem::create_symlink(one, path_);
  Settle();
  EXPECT_EQ(Look(), "one");
  std::filesystem::remove(path_);
  std::filesystem::create_symlink(two, path_);
  EXPECT_EQ(Look(), "two");
  std::filesystem::remove(one);
  std::filesystem::remove(two);
}

TEST_F(WatchedFileTest, AFileThatWasGoneIsReadAgain) {
  Write("one");
  Settle();
  EXPECT_EQ(Look(), "one");
  std::filesystem::rename(path_, path_ + "_away");
  EXPECT_FALSE(file_.Read().ok());
  std::filesystem::rename(path_ + "_away", path_);
  EXPECT_EQ(Look(), "");
}

}  // namespace
}  // namespace aaren::file
