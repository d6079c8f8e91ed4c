#include "tests/bench/store/store_load.h"

#include <gtest/gtest.h>

#include "server/store/memory_store.h"

namespace aaren::bench {
namespace {

struct Counter {
  absl::Status Save(std::mt19937_64&) { return ++saves, status; }
  absl::Status Load() { return absl::OkStatus(); }
  absl::Status status;
  int saves = 0;
};

class StoreLoadTest : public ::testing::Test {
 protected:
  store::MemoryStore store_;
  const std::vector<int> order_ = {1, 0, 2};
  Entrant entrant_{store_, order_};
  std::mt19937_64 random_{1};
};

TEST_F(StoreLoadTest, RoundsOfAStoreThatTakesAllAreTimed) {
  Counter roof;
  const absl::Status status = RunRounds(entrant_, roof, random_);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(roof.saves, kRounds);
  EXPECT_LT(entrant_.timings().load.seconds, 1e9);
}

TEST_F(StoreLoadTest, RefusedAcquisitionsSavesAndLoadsAreErrors) {
  EXPECT_TRUE(absl::IsAborted(entrant_.Save(random_)));  // no session
  EXPECT_TRUE(absl::IsNotFound(entrant_.Load()));
  ASSERT_TRUE(entrant_.Acquire().ok());
  EXPECT_TRUE(absl::IsAborted(entrant_.Acquire()));
}

TEST_F(StoreLoadTest, OneRefusedOperationEndsTheRounds) {
  Counter roof{absl::UnavailableError("no disk")};
  const absl::Status status = RunRounds(entrant_, roof, random_);
  EXPECT_TRUE(absl::IsInternal(status));
  EXPECT_NE(status.message().find("no disk"), std::string::npos) << status;
  EXPECT_EQ(roof.saves, 1);
}

}  // namespace
}  // namespace aaren::bench
