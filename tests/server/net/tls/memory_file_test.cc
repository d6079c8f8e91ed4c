#include "server/net/tls/memory_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace aaren::tls {
namespace {

std::string Rest(std::ifstream& file) { return {std::istreambuf_iterator<char>(file), {}}; }

TEST(MemoryFileTest, IsReadByItsPath) {
  MemoryFile file;
  ASSERT_TRUE(file.Set("first").ok());
  std::ifstream reader(file.path());
  EXPECT_EQ(Rest(reader), "first");
}

TEST(MemoryFileTest, ThePathLeadsToTheNextText) {
  MemoryFile file;
  ASSERT_TRUE(file.Set("a longer first").ok());
  const std::string path = file.path();
  ASSERT_TRUE(file.Set("next").ok());
  std::ifstream reader(path);
  EXPECT_EQ(Rest(reader), "next");
}

TEST(MemoryFileTest, WhoHasItOpenReadsTheTextOfBeforeToItsEnd) {
  MemoryFile file;
  ASSERT_TRUE(file.Set("first").ok());
  std::ifstream reader(file.path());
  ASSERT_TRUE(reader.is_open());
  ASSERT_TRUE(file.Set("next").ok());
  EXPECT_EQ(Rest(reader), "first");
}

}  // namespace
}  // namespace aaren::tls
