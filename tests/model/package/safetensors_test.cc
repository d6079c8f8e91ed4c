#include "model/package/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace aaren::package {
namespace {

using ::testing::HasSubstr;

std::string File(const std::string& header, size_t data_bytes) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + header + std::string(data_bytes, '\0');
}

std::string Entry(const std::string& name, const std::string& shape, int begin, int end) {
  return absl::StrCat("\"", name, R"(": {"dtype": "F32", "shape": )", shape, R"(, "data_offsets": [)", begin, ", ", end,
                      "]}");
}

absl::Status Parse(const std::string& header, size_t data_bytes) {
  return ParseSafetensors(File(header, data_bytes)).status();
}

TEST(SafetensorsTest, ReadsBackWhatItWrote) {
  const std::map<std::string, Tensor> tensors = {
      {"a", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"b", {{0}, {}}}, {"c", {{1}, {-0.5f}}}, {"scalar", {{}, {7}}}};
  const auto read = ParseSafetensors(FormatSafetensors(tensors));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, tensors);
}

TEST(SafetensorsTest, NumbersThatAreBfloat16TakeTwoBytesEach) {
  const std::map<std::string, Tensor> tensors = {
      {"a", {{3}, {1, -2.5f, 0x1p-126f}}}, {"b", {{2}, {0.1f, 1}}}, {"c", {{1}, {-0.0f}}}};
  const std::string bytes = FormatSafetensors(tensors);
  EXPECT_THAT(bytes, HasSubstr(R"("a":{"data_offsets":[8,14],"dtype":"BF16","shape":[3]})"));
  EXPECT_THAT(bytes, HasSubstr(R"("b":{"data_offsets":[0,8],"dtype":"F32","shape":[2]})"));
  const auto read = ParseSafetensors(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, tensors);
}

TEST(SafetensorsTest, RefusesAShapeThatDoesNotFitItsBytesOfBfloat16) {
  EXPECT_THAT(std::string(Parse(R"({"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 8]}})", 8).message()),
              HasSubstr("tensor a has 8 bytes, but its shape [2]"));
}

TEST(SafetensorsTest, ReadsTensorsInAnyOrderAndIgnoresMetadata) {
  const std::string header = absl::StrCat(R"({"__metadata__": {"format": "pt"}, )", Entry("b", "[1]", 4, 8), ", ",
                                          Entry("a", "[1]", 0, 4), "}");
  EXPECT_TRUE(Parse(header, 8).ok());
}

TEST(SafetensorsTest, EveryTruncationIsAnError) {
  const std::string bytes = FormatSafetensors({{"a", {{4}, {1, 2, 3, 4}}}});
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(ParseSafetensors(bytes.substr(0, length)).ok()) << length;
  }
}

TEST(SafetensorsTest, TruncatedDataIsDataLoss) {
  const std::string bytes = FormatSafetensors({{"a", {{4}, {1, 2, 3, 0.1f}}}});
  const absl::Status status = ParseSafetensors(bytes.substr(0, bytes.size() - 1)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), "tensor a ends at byte 16, but there are only 15");
}

TEST(SafetensorsTest, RefusesAHeaderLongerThanTheFileOrTheLimit) {
  std::string bytes = File("{}", 0);
  bytes[0] = 3;
  EXPECT_THAT(std::string(ParseSafetensors(bytes).status().message()), HasSubstr("claims 3 bytes, but 2 follow"));
  bytes[7] = '\x7f';
  EXPECT_THAT(std::string(ParseSafetensors(bytes).status().message()), HasSubstr("more than 4194304"));
}

TEST(SafetensorsTest, RefusesOverlappingTensors) {
  const absl::Status status = Parse(absl::StrCat("{", Entry("a", "[2]", 0, 8), ",", Entry("b", "[1]", 4, 8), "}"), 8);
  EXPECT_EQ(status.message(), "tensor b begins at byte 4, but the tensor before it ends at 8");
}

TEST(SafetensorsTest, RefusesBytesThatBelongToNoTensor) {
  EXPECT_THAT(std::string(Parse(absl::StrCat("{", Entry("a", "[1]", 0, 4), "}"), 5).message()),
              HasSubstr("the data has 5 bytes, but the tensors end at 4"));
  EXPECT_THAT(std::string(Parse(absl::StrCat("{", Entry("a", "[1]", 4, 8), "}"), 8).message()),
              HasSubstr("tensor a begins at byte 4"));
}

TEST(SafetensorsTest, RefusesAShapeThatDoesNotFitItsBytes) {
  EXPECT_THAT(std::string(Parse(absl::StrCat("{", Entry("a", "[3]", 0, 8), "}"), 8).message()),
              HasSubstr("tensor a has 8 bytes, but its shape [3]"));
  // 2^33 * 2^33 wraps around to 4 bytes in 64 bits.
  EXPECT_THAT(std::string(Parse(absl::StrCat("{", Entry("a", "[8589934592, 8589934592]", 0, 4), "}"), 4).message()),
              HasSubstr("tensor a has 4 bytes"));
}

TEST(SafetensorsTest, RefusesOffsetsThatAreNotARange) {
  EXPECT_THAT(std::string(Parse(absl::StrCat("{", Entry("a", "[1]", 8, 4), "}"), 8).message()),
              HasSubstr("data_offsets [8, 4]"));
  EXPECT_THAT(std::string(Parse(absl::StrCat("{", Entry("a", "[1]", -4, 0), "}"), 8).message()), HasSubstr("holds -4"));
}

TEST(SafetensorsTest, RefusesAnotherDtype) {
  EXPECT_EQ(Parse(R"({"a": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}})", 4).message(),
            "tensor a has dtype F16, neither F32 nor BF16");
}

TEST(SafetensorsTest, RefusesATensorGivenTwice) {
  EXPECT_THAT(
      std::string(Parse(absl::StrCat("{", Entry("a", "[1]", 0, 4), ",", Entry("a", "[1]", 4, 8), "}"), 8).message()),
      HasSubstr("repeats the key \"a\""));
}

}  // namespace
}  // namespace aaren::package
