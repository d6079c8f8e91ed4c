#include "server/store/format/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include "absl/strings/escaping.h"

namespace aaren::store {
namespace {

SessionSnapshot Sample() {
  SessionSnapshot snapshot;
  snapshot.origin.model = "sum:1";
  snapshot.origin.package_digest = "d1";
  snapshot.origin.tier = "exact";
  snapshot.origin.numerics_version = 1;
  snapshot.origin.channels = 2;
  snapshot.point.seq = 1234567890123;
  snapshot.point.clock.last_time_ns = -5;
  snapshot.point.clock.step_ns = 60;
  snapshot.rows = std::string("\0some\xffrows", 10);
  return snapshot;
}

TEST(SnapshotTest, ComesBackAsItWasWritten) {
  const SessionSnapshot snapshot = ParseSnapshot(EncodeSnapshot(Sample())).value();
  EXPECT_EQ(snapshot.origin.model, "sum:1");
  EXPECT_EQ(snapshot.origin.package_digest, "d1");
  EXPECT_EQ(snapshot.origin.tier, "exact");
  EXPECT_EQ(snapshot.origin.numerics_version, 1);
  EXPECT_EQ(snapshot.origin.channels, 2);
  EXPECT_EQ(snapshot.point.seq, 1234567890123);
  EXPECT_EQ(snapshot.point.clock.last_time_ns, -5);
  EXPECT_EQ(snapshot.point.clock.step_ns, 60);
  EXPECT_EQ(snapshot.rows, Sample().rows);
}

// Sample() in the layout of snapshot.h, made by another program. Every later version must read the bytes.
const char kFormat1[] =
    "414152454e53455301000000050073756d3a3102006431050065786163740100000002000000cb04fb711f010000fbff"
    "ffffffffffff3c000000000000000a0000000000000000736f6d65ff726f7773e851023d3bb93320d4b6b3fa3a2a4085";

TEST(SnapshotTest, OfFormat1IsReadForEver) {
  const absl::StatusOr<SessionSnapshot> snapshot = ParseSnapshot(absl::HexStringToBytes(kFormat1));
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(EncodeSnapshot(*snapshot), EncodeSnapshot(Sample()));
}

TEST(SnapshotTest, IsWrittenAsItsLayoutSays) { EXPECT_EQ(absl::BytesToHexString(EncodeSnapshot(Sample())), kFormat1); }

TEST(SnapshotTest, OfALaterFormatIsRefusedByItsNumber) {
  std::string bytes = EncodeSnapshot(Sample());
  bytes.resize(bytes.size() - 16);
  ++bytes[8];
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  bytes.append(reinterpret_cast<const char*>(digest), 16);
  const absl::Status status = ParseSnapshot(bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("format version 2, this server knows 1"));
}

TEST(SnapshotTest, IsRefusedWithAnyByteFlipped) {
  const std::string good = EncodeSnapshot(Sample());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    EXPECT_EQ(ParseSnapshot(bad).status().code(), absl::StatusCode::kDataLoss) << "byte " << i;
  }
}

TEST(SnapshotTest, IsRefusedCutAnywhere) {
  const std::string good = EncodeSnapshot(Sample());
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_EQ(ParseSnapshot(good.substr(0, length)).status().code(), absl::StatusCode::kDataLoss) << length;
  }
}

TEST(SnapshotTest, IsRefusedWithBytesBehindIt) {
  EXPECT_EQ(ParseSnapshot(EncodeSnapshot(Sample()) + '\0').status().code(), absl::StatusCode::kDataLoss);
}

TEST(SnapshotTest, SaysWhatWasChecked) {
  std::string bad = EncodeSnapshot(Sample());
  bad.back() ^= 1;
  EXPECT_THAT(std::string(ParseSnapshot(bad).status().message()), ::testing::HasSubstr("checksum"));
}

}  // namespace
}  // namespace aaren::store
