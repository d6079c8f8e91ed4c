#include "server/store/format/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
