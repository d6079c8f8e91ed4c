#include "server/sessions/registrar/epochs.h"

#include <gtest/gtest.h>

#include <vector>

#include "server/store/memory_store.h"

namespace aaren::registrar {
namespace {

class EpochsTest : public testing::Test {
 protected:
  uint64_t Draw(uint64_t above = 0) {
    uint64_t drawn = 0;
    epochs_.Draw(above, [&](absl::StatusOr<uint64_t> epoch) { drawn = epoch.value_or(0); });
    while (mail_.Drain(10)) {
    }
    return drawn;
  }

  Mail mail_;
  store::MemoryStore store_;
  Epochs epochs_{mail_, store_};
};

TEST_F(EpochsTest, EveryEpochIsLargerThanTheOneBefore) {
  uint64_t last = 0;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t epoch = Draw();
    ASSERT_GT(epoch, last);
    last = epoch;
  }
}

TEST_F(EpochsTest, AnEpochIsLargerThanAskedFor) {
  (void)Draw();
  EXPECT_GT(Draw(500), 500u);
  EXPECT_GT(Draw(1'000'000), 1'000'000u);
}

TEST_F(EpochsTest, ABlockIsNoLargerBecauseAnotherServerIsAhead) {
  (void)Draw();
  uint64_t ahead = 0;
  store_.ReserveEpochs(1'000'000, [&](absl::StatusOr<uint64_t> first) { ahead = *first + 1'000'000; });
  EXPECT_GT(Draw(ahead - 1), ahead - 1);
  store_.ReserveEpochs(1, [&](absl::StatusOr<uint64_t> first) { EXPECT_LE(*first, ahead + 1024); });
}

TEST_F(EpochsTest, KnowsItsOwnAfterAMillionOpens) {
  const uint64_t epoch = Draw();
  for (int i = 0; i < 1'000'000; ++i) epochs_.Draw(0, [](const absl::StatusOr<uint64_t>&) {});
  (void)Draw();
  EXPECT_TRUE(epochs_.IsOwn(epoch));
}

TEST_F(EpochsTest, KnowsItsOwn) {
  const uint64_t epoch = Draw();
  EXPECT_TRUE(epochs_.IsOwn(epoch));
  EXPECT_FALSE(epochs_.IsOwn(epoch + 5000));
}

}  // namespace
}  // namespace aaren::registrar
