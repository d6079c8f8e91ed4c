#include "server/store/rocksdb/rocksdb_store.h"

#define XXH_INLINE_ALL
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "rocksdb/db.h"
#include "server/store/format/fields.h"
#include "server/store/rocksdb/rocksdb_settings.h"
#include "server/store/rocksdb/write_group.h"
#include "tests/server/store/rocksdb/store_folder.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;

std::filesystem::perms OthersRights(const std::filesystem::directory_entry& entry) {
  using std::filesystem::perms;
  return entry.status().permissions() & (perms::group_all | perms::others_all);
}

TEST_F(RocksDbStoreTest, SessionsOutliveIt) {
  Add(Open(), "/a");
  const SessionRecord record = Open().Load("/a").value();
  EXPECT_EQ(record.epoch, 1u);
  ASSERT_EQ(record.saves.size(), 1u);
  EXPECT_EQ(record.saves[0].point.seq, 7u);
  EXPECT_EQ(record.saves[0].rows, std::string(1024, 'x'));
}

TEST_F(RocksDbStoreTest, EpochsAreNotGivenOutAgain) {
  const uint64_t last = Open().ReserveEpochs(5).value() + 4;
  EXPECT_GT(Open().ReserveEpochs(1).value(), last);
}

TEST_F(RocksDbStoreTest, FolderInUseNamesTheProcess) {
  Open();
  const absl::Status status = WhyNot();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("in use by process ", getpid())));
}

TEST_F(RocksDbStoreTest, FolderOfALaterFormatIsRefusedByName) {
  WriteFile("format", "aaren-store 3\n");
  const absl::Status status = WhyNot();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("format 3, this server knows 2: a later"));
}

TEST_F(RocksDbStoreTest, FolderOfAnEarlierFormatIsRefusedByName) {
  WriteFile("format", "aaren-store 1\n");
  EXPECT_THAT(std::string(WhyNot().message()), HasSubstr("format 1, this server knows 2: an earlier"));
}

TEST_F(RocksDbStoreTest, FolderOfSomethingElseIsRefused) {
  WriteFile("format", "holiday pictures\n");
  EXPECT_EQ(WhyNot().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RocksDbStoreTest, FlippedBitInRowsIsDataLossOfThatSessionOnly) {
  {
    BlockingStore store = Open();
    Add(store, "/a");
    Add(store, "/b");
  }
  Alter(RowsKey("/a", 0), [](std::string& rows) { rows[500] ^= 4; });
  BlockingStore store = Open();
  const absl::Status status = store.Load("/a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'/a'"));
  EXPECT_TRUE(store.Load("/b").ok());
}

TEST_F(RocksDbStoreTest, OfTwoSavesTheSoundOneIsLoaded) {
  {
    BlockingStore store = Open();
    Add(store, "/a");
    SaveWrite write;
    write.header.key = "/a";
    write.header.epoch = write.header.incarnation = 1;
    write.save = {{9, {}}, std::string(1024, 'y')};
    write.keep_seq = 7;
    ASSERT_TRUE(store.Save(std::move(write)).status.ok());
  }
  Alter(RowsKey("/a", 0), [](std::string& rows) { rows[500] ^= 4; });
  const SessionRecord record = Open().Load("/a").value();
  ASSERT_EQ(record.saves.size(), 1u);
  EXPECT_EQ(record.saves[0].point.seq, 9u);
  EXPECT_EQ(record.damaged_seq, 7u);
  EXPECT_EQ(record.damage.code(), absl::StatusCode::kDataLoss);
}

TEST_F(RocksDbStoreTest, FlippedBitInFactsRefusesWritesOfThatSessionOnly) {
  {
    BlockingStore store = Open();
    Add(store, "/a");
    Add(store, "/b");
  }
  Alter(HeaderKey("/a"), [](std::string& header) { header[3] ^= 4; });
  BlockingStore store = Open();
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store.Delete("/a", 1).status.code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(store.Delete("/b", 1).status.ok());
  EXPECT_EQ(store.List("", "", 10).value().size(), 1u);  // still named
}

TEST_F(RocksDbStoreTest, DamagedSessionIsDeletedWithoutItsEpochAndMadeAnew) {
  Add(Open(), "/a");
  Alter(HeaderKey("/a"), [](std::string& header) { header[3] ^= 4; });
  BlockingStore store = Open();
  EXPECT_TRUE(store.Delete("/a", std::nullopt).status.ok());
  EXPECT_TRUE(absl::IsNotFound(store.Load("/a").status()));
  Add(store, "/a");
  EXPECT_EQ(store.Load("/a").value().saves.size(), 1u);
}

TEST_F(RocksDbStoreTest, FactsOfALaterVersionAreRefusedByName) {
  Add(Open(), "/a");
  Alter(HeaderKey("/a"), [](std::string& header) {
    header.resize(header.size() - sizeof(uint64_t));
    header[0] = 9;
    Put(header, uint64_t{XXH3_64bits(header.data(), header.size())});
  });
  const absl::Status status = Open().Load("/a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 9"));
}

TEST_F(RocksDbStoreTest, CallsUnderWayAreAnsweredBeforeItEnds) {
  Open();
  int answered = 0;
  for (int i = 0; i < 1000; ++i) {
    Acquisition acquisition;
    acquisition.record.key = absl::StrCat("/", i);
    acquisition.record.epoch = 1;
    store_->Acquire(std::move(acquisition), [&answered](const WriteResult& result) { answered += result.status.ok(); });
  }
  store_.reset();
  EXPECT_EQ(answered, 1000);
}

TEST_F(RocksDbStoreTest, ADatabaseThatIsGoneIsNotMadeAnew) {
  Add(Open(), "/a");
  store_.reset();
  std::filesystem::remove_all(folder_ + "/rocksdb");
  const absl::Status status = WhyNot();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder_ + "/rocksdb: the database is gone"));
}

TEST_F(RocksDbStoreTest, AFolderThatWentAwayTakesNoWritesUntilItIsBack) {
  BlockingStore store = Open();
  Add(store, "/a");
  std::filesystem::rename(folder_, folder_ + ".away");
  SessionRecord record = store.Find("/a").value();
  record.epoch = 2;
  record.saves.clear();
  const WriteResult result = store.Acquire(record, 1, 7);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(result.status.message()), HasSubstr("moved, removed or unmounted"));
  EXPECT_FALSE(std::filesystem::exists(folder_));
  std::filesystem::rename(folder_ + ".away", folder_);
  EXPECT_TRUE(store.Acquire(record, 1, 7).status.ok());
  EXPECT_EQ(store.Load("/a").value().saves.size(), 1u);
}

TEST_F(RocksDbStoreTest, AWriteComparedWithOneThatFailedIsNotToldThatItIsFenced) {
  BlockingStore store = Open();
  Add(store, "/a");
  std::filesystem::rename(folder_, folder_ + ".away");
  absl::Notification posted;
  // Writes posted while the store's thread waits make a group.
  store_->ReserveEpochs(1, [&posted](const absl::StatusOr<uint64_t>&) { posted.WaitForNotification(); });
  SessionRecord record;
  record.key = "/a";
  record.epoch = record.incarnation = 2;
  store_->Acquire({record, 1, std::nullopt, std::nullopt}, [](const WriteResult&) {});
  SaveWrite save;
  save.header.key = "/a";
  save.header.epoch = save.header.incarnation = 1;
  std::vector<SaveWrite> saves{save};
  std::promise<WriteResult> saved;
  store_->Save(saves, [&saved](std::vector<WriteResult> results) { saved.set_value(results.at(0)); });
  posted.Notify();
  EXPECT_EQ(saved.get_future().get().status.code(), absl::StatusCode::kUnavailable);
  std::filesystem::rename(folder_ + ".away", folder_);
}

// A power loss writes the pages of a file's end in any order.
TEST_F(RocksDbStoreTest, OfALogWithAHoleNearItsEndWhatIsBeforeTheHoleHolds) {
  BlockingStore store = Open();
  for (int i = 0; i < 20; ++i) Add(store, absl::StrCat("/", i));
  std::filesystem::copy(folder_, folder_ + ".lost", std::filesystem::copy_options::recursive);
  store_.reset();
  std::filesystem::remove_all(folder_);
  std::filesystem::rename(folder_ + ".lost", folder_);
  const std::string log = FileEndingIn(".log");
  Overwrite(log, static_cast<int64_t>(std::filesystem::file_size(log)) - 5000, std::string(100, '\0'));
  EXPECT_EQ(WhyNot().code(), absl::StatusCode::kDataLoss) << "no power was lost";
  options_.boot = "another";
  BlockingStore again = Open();
  const size_t left = again.List("", "", 100).value().size();
  EXPECT_GE(left, 10u);
  EXPECT_LT(left, 20u);
  EXPECT_TRUE(again.Load("/0").ok());
  Add(again, "/new");
}

TEST_F(RocksDbStoreTest, AListReadsNoRows) {
  Add(Open(), "/a");
  store_.reset();
  {
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(RocksDbSettings(1 << 20), folder_ + "/rocksdb", &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    ASSERT_TRUE(db->Flush({}).ok());
  }
  Overwrite(FileEndingIn(".blob"), 200, "damage");
  BlockingStore store = Open();
  const absl::Status damaged = store.Load("/a").status();
  ASSERT_EQ(damaged.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(damaged.message()), testing::HasSubstr("session '/a'"));
  EXPECT_EQ(store.List("", "", 10).value().size(), 1u);
  EXPECT_EQ(store.Find("/a").value().saves.size(), 1u);
  EXPECT_TRUE(store.Delete("/a", 1).status.ok());
}

TEST_F(RocksDbStoreTest, RowsInAFolderThatWasMovedAreRead) {
  Add(Open(), "/a");
  BlockingStore store = Open();  // the file with the rows is opened at the first read
  std::filesystem::rename(folder_, folder_ + ".away");
  EXPECT_EQ(store.Load("/a").value().saves.size(), 1u);
  std::filesystem::rename(folder_ + ".away", folder_);
}

TEST_F(RocksDbStoreTest, ErrorsNameTheFolderAsItsUserDoes) {
  Add(Open(), "/a");
  BlockingStore store = Open();  // whose rows are in a file, which is opened when they are read
  std::filesystem::remove(FileEndingIn(".blob"));
  const std::string message(store.Load("/a").status().message());
  EXPECT_THAT(message, HasSubstr(folder_ + "/rocksdb/"));
}

TEST_F(RocksDbStoreTest, WhatWasWrittenIsInNoLogAfterItsEnd) {
  Add(Open(), "/a");
  store_.reset();
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/rocksdb")) {
    if (entry.path().extension() == ".log") std::filesystem::remove(entry.path());
  }
  EXPECT_TRUE(Open().Load("/a").ok());
}

TEST_F(RocksDbStoreTest, EpochsOutliveTheDatabasesOwnRecordOfThem) {
  const uint64_t given = Open().ReserveEpochs(5).value();
  store_.reset();
  {
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, folder_ + "/rocksdb", &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    ASSERT_TRUE(db->Delete({}, "e").ok());
  }
  EXPECT_GE(Open().ReserveEpochs(1).value(), given + 5);
}

TEST_F(RocksDbStoreTest, FilesAreTheirOwnersAloneWhateverTheUmask) {
  const auto expect_private = [this] {
    size_t files = 0;
    std::filesystem::directory_entry folder(folder_);
    EXPECT_EQ(OthersRights(folder), std::filesystem::perms::none) << folder_;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      EXPECT_EQ(OthersRights(entry), std::filesystem::perms::none) << entry.path();
      ++files;
    }
    EXPECT_GE(files, 10u);
  };
  const mode_t before = umask(0);
  Add(Open(), "/a");
  ASSERT_TRUE(BlockingStore(*store_).ReserveEpochs(1).ok());
  expect_private();
  // The rights of files from an earlier server.
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  std::filesystem::permissions(FileEndingIn(".log"), std::filesystem::perms::all);
  Add(Open(), "/b");
  expect_private();
  umask(before);
}

}  // namespace
}  // namespace aaren::store
