#include "client/cli/stream/pending_rows.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"

namespace aaren::cli {
namespace {

PendingRow RowOf(float value) { return {{"", 0, {value}}, absl::UnixEpoch()}; }

float ValueOf(const std::optional<PendingRow>& row) { return row ? row->row.values[0] : -1; }

TEST(PendingRowsTest, TakesARowAndForgetsThoseBefore) {
  PendingRows rows;
  for (uint64_t seq = 5; seq < 10; ++seq) rows.Push(seq, RowOf(static_cast<float>(seq)));
  EXPECT_EQ(ValueOf(rows.Take(7)), 7);
  EXPECT_FALSE(rows.Take(6).has_value());
  EXPECT_EQ(ValueOf(rows.Take(8)), 8);
}

TEST(PendingRowsTest, GoingBackReplacesWhatFollows) {
  PendingRows rows;
  for (uint64_t seq = 0; seq < 5; ++seq) rows.Push(seq, RowOf(0));
  rows.Push(2, RowOf(1));
  EXPECT_FALSE(rows.Take(3).has_value());
  EXPECT_EQ(ValueOf(rows.Take(2)), 1);
}

TEST(PendingRowsTest, GoingBackBehindItsBeginningStartsOver) {
  PendingRows rows;
  rows.Push(100, RowOf(0));
  rows.DropBelow(101);
  rows.Push(0, RowOf(1));
  rows.Push(1, RowOf(2));
  EXPECT_EQ(ValueOf(rows.Take(1)), 2);
}

TEST(PendingRowsTest, DroppingLeavesLaterRows) {
  PendingRows rows;
  for (uint64_t seq = 0; seq < 5; ++seq) rows.Push(seq, RowOf(static_cast<float>(seq)));
  rows.DropBelow(3);
  EXPECT_FALSE(rows.Take(2).has_value());
  EXPECT_EQ(ValueOf(rows.Take(3)), 3);
}

}  // namespace
}  // namespace aaren::cli
