// A lane's promises about its rows, on the engine that serves.

#include "model/engine/cpu/host_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "tests/model/engine/random_package.h"

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;

class HostLaneTest : public testing::Test {
 protected:
  static constexpr size_t kCapacity = 3;

  std::vector<std::byte> Read(Slot slot) {
    std::vector<std::byte> bytes(engine_->row_bytes());
    const RowRead row{slot, bytes.data()};
    EXPECT_TRUE(lane_->Read({&row, 1}).ok());
    return bytes;
  }
  std::vector<std::byte> Fresh() const {
    std::vector<std::byte> bytes(engine_->row_bytes());
    engine_->ResetRow(absl::MakeSpan(bytes));
    return bytes;
  }

  std::unique_ptr<Engine> engine_ = NewCpuEngine(RandomPackage(TinyConfig(), 1)).value();
  std::unique_ptr<Lane> lane_ = engine_->NewLane(kCapacity);
  std::vector<Slot> slots_ = std::vector<Slot>(2);
};

TEST_F(HostLaneTest, TakesAllRowsThatAreAskedForOrNone) {
  std::vector<Slot> many(kCapacity + 1);
  const absl::Status status = lane_->Allocate(absl::MakeSpan(many));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "all 3 rows are taken");
  EXPECT_EQ(lane_->used(), 0u);
  many.pop_back();
  EXPECT_TRUE(lane_->Allocate(absl::MakeSpan(many)).ok());
  EXPECT_EQ(lane_->used(), kCapacity);
}

TEST_F(HostLaneTest, AResetRowIsThatOfASeriesThatHasSeenNothing) {
  ASSERT_TRUE(lane_->Allocate(absl::MakeSpan(slots_)).ok());
  ASSERT_TRUE(lane_->Reset(slots_).ok());
  EXPECT_EQ(Read(slots_[1]), Fresh());
}

TEST_F(HostLaneTest, RowsAreReadAsTheyWereWritten) {
  ASSERT_TRUE(lane_->Allocate(absl::MakeSpan(slots_)).ok());
  std::vector<std::byte> first = Fresh(), second = Fresh();
  second[0] = std::byte{7};
  const RowWrite rows[] = {{slots_[1], second.data()}, {slots_[0], first.data()}};
  ASSERT_TRUE(lane_->Write(rows).ok());
  EXPECT_EQ(Read(slots_[0]), first);
  EXPECT_EQ(Read(slots_[1]), second);
}

TEST_F(HostLaneTest, AStaleSlotIsNamedAndNothingIsCopied) {
  ASSERT_TRUE(lane_->Allocate(absl::MakeSpan(slots_)).ok());
  ASSERT_TRUE(lane_->Reset(slots_).ok());
  lane_->Free({&slots_[1], 1});
  std::vector<std::byte> other(engine_->row_bytes(), std::byte{1}), none(engine_->row_bytes());
  const RowWrite writes[] = {{slots_[0], other.data()}, {slots_[1], other.data()}};
  EXPECT_THAT(std::string(lane_->Write(writes).message()), HasSubstr("slot 1 of generation 1 is stale"));
  EXPECT_EQ(Read(slots_[0]), Fresh());
  const RowRead reads[] = {{slots_[0], none.data()}, {slots_[1], none.data()}};
  EXPECT_EQ(lane_->Read(reads).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(none, std::vector<std::byte>(engine_->row_bytes()));
  EXPECT_EQ(lane_->Reset(slots_).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(HostLaneTest, ABatchIsDoneWhenSubmitReturns) {
  ASSERT_TRUE(lane_->Allocate(absl::MakeSpan(slots_)).ok());
  ASSERT_TRUE(lane_->Reset(slots_).ok());
  const std::vector<float> values = {1, 2};
  const std::vector<uint8_t> silent = {0, 0};
  const engine::Run run = {.slot = slots_[0], .values = values, .forecast = silent};
  const absl::StatusOr<Ticket> ticket = lane_->Submit({&run, 1});
  ASSERT_TRUE(ticket.ok()) << ticket.status();
  EXPECT_EQ(lane_->Poll(*ticket), absl::OkStatus());
  EXPECT_EQ(engine_->CheckRow(Read(slots_[0])).value(), 2u);
}

}  // namespace
}  // namespace aaren::engine
