#include "server/sessions/registrar/owner_table.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace aaren::registrar {
namespace {

class OwnerTableTest : public testing::Test {
 protected:
  // Submits an operation: `begun_` notes the start, and End ends the operation.
  void Submit(const std::string& key, const std::string& name) {
    owners_.Submit(key, [this, name](Entry& entry) {
      absl::StrAppend(&begun_, name, " ");
      last_ = &entry;
    });
  }

  void End() {
    owners_.Finish(*last_);
    (void)mail_.Drain(10);
  }

  Mail mail_;
  OwnerTable owners_{mail_};
  std::string begun_;
  Entry* last_ = nullptr;
};

TEST_F(OwnerTableTest, OperationsOnASessionAreDoneInTheOrderOfTheRequests) {
  Submit("/a", "first");
  Submit("/a", "second");
  EXPECT_EQ(begun_, "first ");
  End();
  EXPECT_EQ(begun_, "first second ");
}

TEST_F(OwnerTableTest, OperationsOnOtherSessionsDoNotWait) {
  Submit("/a", "first");
  Submit("/b", "second");
  EXPECT_EQ(begun_, "first second ");
}

TEST_F(OwnerTableTest, AnEntryEndsWithTheLastOperationOnASessionAtRest) {
  Submit("/a", "first");
  EXPECT_TRUE(owners_.IsBusy("/a"));
  End();
  EXPECT_FALSE(owners_.Contains("/a"));
}

TEST_F(OwnerTableTest, TheEntryOfASessionInAShardStaysUntilTheShardReleasesIt) {
  Submit("/a", "first");
  last_->owner = 2;
  End();
  EXPECT_TRUE(owners_.Contains("/a"));
  owners_.Release("/a");
  EXPECT_FALSE(owners_.Contains("/a"));
}

}  // namespace
}  // namespace aaren::registrar
