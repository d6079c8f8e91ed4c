#include "model/tasks/forecasting/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"

namespace aaren::forecasting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string PathOf(const std::string& name) { return absl::StrCat(::testing::TempDir(), "/line_reader_", name); }

void WriteCompressed(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

std::vector<std::string> Lines(LineReader& reader) {
  std::vector<std::string> lines;
  for (std::string line; reader.Next(line);) lines.push_back(line);
  return lines;
}

TEST(LineReaderTest, ReadsPlainLinesWithAnyEnd) {
  const std::string path = PathOf("plain");
  std::ofstream(path) << "a\r\n\nb";
  absl::StatusOr<LineReader> reader = LineReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(Lines(*reader), ElementsAre("a", "", "b"));
  EXPECT_TRUE(reader->status().ok());
}

TEST(LineReaderTest, FindsTheCompressedFileWhereThePlainOneIsAbsent) {
  const std::string long_line(10'000, 'x');
  WriteCompressed(PathOf("packed.gz"), long_line + "\nend\n");
  absl::StatusOr<LineReader> reader = LineReader::Open(PathOf("packed"));
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(Lines(*reader), ElementsAre(long_line, "end"));
}

TEST(LineReaderTest, ANulIsAByteOfItsLine) {
  const std::string nul(1, '\0'), long_line = std::string(5000, 'x') + nul + 'y';
  const std::string path = PathOf("nul");
  std::ofstream(path, std::ios::binary) << nul << "\na" << nul << "b\n" << long_line << "\n" << nul;
  absl::StatusOr<LineReader> reader = LineReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(Lines(*reader), ElementsAre(nul, "a" + nul + "b", long_line, nul));
}

TEST(LineReaderTest, ACutFileIsNoShorterFile) {
  const std::string path = PathOf("cut.gz");
  std::string text;
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&text, i * 7919 % 10007, "\n");
  WriteCompressed(path, text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  absl::StatusOr<LineReader> reader = LineReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  Lines(*reader);
  EXPECT_EQ(reader->status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(reader->status().message()), HasSubstr("cut.gz"));
}

TEST(LineReaderTest, AnAbsentFileIsNamed) {
  const absl::Status status = LineReader::Open("/nowhere/x.ts").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/x.ts"));
}

TEST(LineReaderTest, AnErrorNamesFileAndLine) {
  const std::string path = PathOf("error");
  std::ofstream(path) << "a\nb\n";
  absl::StatusOr<LineReader> reader = LineReader::Open(path);
  Lines(*reader);
  EXPECT_EQ(reader->Error("odd").message(), path + ":2: odd");
}

}  // namespace
}  // namespace aaren::forecasting
