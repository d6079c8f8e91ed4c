#include "server/store/measured_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "server/store/memory_store.h"
#include "tests/server/store/blocking.h"

namespace aaren::store {
namespace {

const StoreCounters::Operation& Of(const MeasuredStore& store, const std::string& name) {
  size_t i = 0;
  while (StoreCounters::kOperations[i] != name) ++i;
  return store.counters().operations[i];
}

SaveWrite Write(uint64_t epoch) {
  SaveWrite write;
  write.header.key = "/a";
  write.header.epoch = epoch;
  write.save.rows = "rows";
  return write;
}

TEST(MeasuredStoreTest, CountsCallsAndBytes) {
  MeasuredStore store(std::make_unique<MemoryStore>());
  BlockingStore blocking(store);
  (void)blocking.Load("/a");
  (void)blocking.Load("/b");
  (void)blocking.Save(Write(1));
  EXPECT_EQ(Of(store, "load").done.value(), 2u);
  EXPECT_EQ(Of(store, "save").done.value(), 1u);
  EXPECT_EQ(Of(store, "list").done.value(), 0u);
  EXPECT_EQ(store.counters().saved_bytes.value(), 4u);
}

// Answers a Load when Fail is called.
class LateStore : public MemoryStore {
 public:
  void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override {
    key_ = std::move(key);
    answer_ = std::move(answer);
  }
  void Fail() { answer_(absl::UnavailableError("told to fail")); }

 private:
  std::string key_;
  Answer<absl::StatusOr<SessionRecord>> answer_;
};

TEST(MeasuredStoreTest, CallIsUnderWayUntilItIsAnsweredAndMayFail) {
  auto late = std::make_unique<LateStore>();
  LateStore& inner = *late;
  MeasuredStore store(std::move(late));
  store.Load("/a", [](const absl::StatusOr<SessionRecord>&) {});
  EXPECT_EQ(Of(store, "load").under_way.value(), 1u);
  inner.Fail();
  EXPECT_EQ(Of(store, "load").under_way.value(), 0u);
  EXPECT_EQ(Of(store, "load").failed.value(), 1u);
  EXPECT_EQ(Of(store, "load").done.value(), 0u);
}

TEST(MeasuredStoreTest, WhatIsNotThereOrTakenIsNoFailure) {
  MeasuredStore store(std::make_unique<MemoryStore>());
  EXPECT_TRUE(absl::IsNotFound(BlockingStore(store).Load("/a").status()));
  EXPECT_TRUE(absl::IsAborted(BlockingStore(store).Save(Write(7)).status));
  EXPECT_EQ(Of(store, "load").failed.value(), 0u);
  EXPECT_EQ(Of(store, "save").failed.value(), 0u);
}

}  // namespace
}  // namespace aaren::store
