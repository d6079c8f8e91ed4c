#include "server/store/rocksdb/rocksdb_store.h"

#define XXH_INLINE_ALL
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "rocksdb/db.h"
#include "server/store/format/fields.h"
#include "server/store/rocksdb/rocksdb_settings.h"
#include "server/store/rocksdb/write_group.h"
#include "tests/server/store/blocking.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;

// A folder for a store that is opened and closed.
class RocksDbStoreTest : public testing::Test {
 protected:
  RocksDbStoreTest()
      : folder_(absl::StrCat(testing::TempDir(), "/rocksdb_store_", getpid(), "_",
                             testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~RocksDbStoreTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  BlockingStore Open() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<RocksDbStore>> opened = RocksDbStore::Open(options_);
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    return BlockingStore(*store_);
  }
  absl::Status WhyNot() const { return RocksDbStore::Open(options_).status(); }

  // A session with one save, of a kilobyte.
  static void Add(BlockingStore store, const std::string& key) {
    SessionRecord record;
    record.key = key;
    record.epoch = record.incarnation = 1;
    record.saves.push_back({{7, {}}, std::string(1024, 'x')});
    ASSERT_TRUE(store.Acquire(record, 0).status.ok());
  }

  // Changes what is under a key of the closed store.
  void Alter(const std::string& key, const std::function<void(std::string&)>& change) {
    store_.reset();
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, folder_ + "/rocksdb", &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    std::string value;
    ASSERT_TRUE(db->Get({}, key, &value).ok());
    change(value);
    ASSERT_TRUE(db->Put({}, key, value).ok());
  }

  void WriteFile(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/" + name) << text;
  }

  // The files of the database whose names end so, of which the test knows that there is one.
  std::string FileEndingIn(const std::string& end) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/rocksdb")) {
      if (entry.path().extension() == end && entry.file_size() > 0) return entry.path();
    }
    return "no file";
  }

  static void Overwrite(const std::string& path, int64_t at, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
    ASSERT_TRUE(file.good()) << path;
  }

  const std::string folder_;
  RocksDbOptions options_{.folder = folder_, .pause = std::chrono::milliseconds(0)};
  std::unique_ptr<RocksDbStore> store_;
};

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
  // What is posted while the store's thread waits is one group.
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
  BlockingStore store = Open();  // whose rows are in a file, which is opened when they are read
  std::filesystem::rename(folder_, folder_ + ".away");
  EXPECT_EQ(store.Load("/a").value().saves.size(), 1u);
  std::filesystem::rename(folder_ + ".away", folder_);
}

TEST_F(RocksDbStoreTest, ErrorsNameTheFolderAsItsUserDoes) {
  Add(Open(), "/a");
  store_.reset();
  Overwrite(FileEndingIn(".blob"), 200, "damage");
  std::filesystem::remove(FileEndingIn(".blob"));
  const std::string message(Open().Load("/a").status().message());
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

// A folder that is moved while its store is in use, with another server's put in its place: a backup, say.
class MovedFolderTest : public RocksDbStoreTest {
 protected:
  using Files = std::map<std::string, std::string>;

  ~MovedFolderTest() override {
    store_.reset();
    std::filesystem::remove_all(away_);
    std::filesystem::remove_all(other_);
  }

  void MoveAway() {
    std::filesystem::rename(folder_, away_);
    if (std::filesystem::exists(other_)) return std::filesystem::rename(other_, folder_);
    for (const std::string name : {"owner", "epochs", "format", "rocksdb/CURRENT", "rocksdb/MANIFEST-000001"}) {
      WriteFile(name, "another's " + name);
    }
    for (int i = 1; i < 60; ++i) {
      for (const std::string kind : {"log", "sst", "blob"}) {
        WriteFile(absl::StrCat("rocksdb/", absl::Dec(i, absl::kZeroPad6), ".", kind), "another's");
      }
    }
    others_ = FilesThere();
  }
  void MoveBack() {
    std::filesystem::rename(folder_, other_);
    std::filesystem::rename(away_, folder_);
  }

  Files FilesThere() const {
    Files files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      files[entry.path()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return files;
  }

  const std::string away_ = folder_ + ".away", other_ = folder_ + ".other";
  Files others_;
};

TEST_F(MovedFolderTest, AnEndChangesNothingOfTheOther) {
  BlockingStore store = Open();
  Add(store, "/a");
  MoveAway();
  store_.reset();
  EXPECT_EQ(FilesThere(), others_);
}

TEST_F(MovedFolderTest, EpochsAreNotGivenOutFromTheOther) {
  BlockingStore store = Open();
  MoveAway();
  EXPECT_FALSE(store.ReserveEpochs(uint64_t{1} << 40).ok());
  EXPECT_EQ(FilesThere(), others_);
}

// Until the store has looked, it does not know.
TEST_F(MovedFolderTest, LoadBeforeItIsNoticedChangesNothingOfTheOtherAndIsThereAgain) {
  options_.pause = std::chrono::hours(1);
  options_.buffer_bytes = 64 << 10;
  BlockingStore store = Open();
  Add(store, "/first");
  for (const int moved : {1, 2}) {
    MoveAway();
    for (int i = 0; i < 500; ++i) Add(store, absl::StrCat("/", moved, "/", i));
    EXPECT_EQ(FilesThere(), others_);
    MoveBack();
    Add(store, absl::StrCat("/back", moved));
  }
  EXPECT_EQ(Open().List("", "", 2000).value().size(), 1003u);
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

// A database whose facts lie in many blocks, of which one cannot be read.
class DamagedBlockTest : public RocksDbStoreTest {
 protected:
  static constexpr int kSessions = 2000;

  explicit DamagedBlockTest(bool first = false) {
    BlockingStore store = Open();
    for (int i = 0; i < kSessions; ++i) Add(store, absl::StrCat("a/", 10'000 + i));
    Add(store, "b/last");
    store_.reset();
    const std::string file = FileEndingIn(".sst");
    Overwrite(file, first ? 20 : static_cast<int64_t>(std::filesystem::file_size(file)) / 3, "damage");
  }
};

// The block with the first of all keys.
class DamagedFirstBlockTest : public DamagedBlockTest {
 protected:
  DamagedFirstBlockTest() : DamagedBlockTest(true) {}
};

TEST_F(DamagedFirstBlockTest, IsLeftOutOfAList) {
  BlockingStore store = Open();
  for (const std::string prefix : {"", "a/", "a/1"}) {
    const absl::StatusOr<std::vector<SessionRecord>> listed = store.List(prefix, "", 2 * kSessions);
    ASSERT_TRUE(listed.ok()) << "'" << prefix << "': " << listed.status();
    EXPECT_LT(listed->size(), static_cast<size_t>(kSessions));
    EXPECT_GT(listed->size(), kSessions - 100u);
  }
}

// Nothing of the prefix is behind it.
TEST_F(DamagedBlockTest, AtTheEndOfAListIsTold) {
  BlockingStore store = Open();
  const std::vector<SessionRecord> all = store.List("", "", 2 * kSessions).value();
  std::string before;  // the last key before the gap
  for (size_t i = 0; i + 1 < all.size() && before.empty(); ++i) {
    if (all[i].key.substr(0, 2) == "a/" && std::stoi(all[i + 1].key.substr(2)) != std::stoi(all[i].key.substr(2)) + 1) {
      before = all[i].key;
    }
  }
  testing::internal::CaptureStderr();
  const std::string prefix = before.substr(0, before.size() - 2);
  const absl::StatusOr<std::vector<SessionRecord>> listed = store.List(prefix, "", 2 * kSessions);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(absl::StrCat("after=", before, " before=")));
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->back().key, before);
}

TEST_F(DamagedBlockTest, HidesNothingThatIsSoundBeforeAnother) {
  const std::string file = FileEndingIn(".sst");
  const auto size = static_cast<int64_t>(std::filesystem::file_size(file));
  Overwrite(file, size * 38 / 1000, "damage");
  Overwrite(file, size * 188 / 1000, "damage");  // with a key that halving from the end would try
  BlockingStore store = Open();
  EXPECT_GT(store.List("", "", 2 * kSessions).value().size(), kSessions - 150u);
}

TEST_F(DamagedBlockTest, PagesGoOnBehindIt) {
  BlockingStore store = Open();
  std::vector<SessionRecord> page;
  std::string after;
  size_t met = 0;
  for (; !(page = store.List("", after, 10).value()).empty(); met += page.size()) after = page.back().key;
  EXPECT_EQ(after, "b/last");
  EXPECT_EQ(met, store.List("", "", 2 * kSessions).value().size());
}

// Compactions meet it once a dozen files are there.
TEST_F(DamagedBlockTest, DoesNotKeepOthersFromBeingWritten) {
  options_.buffer_bytes = 64 << 10;
  BlockingStore store = Open();
  int failures = 0;
  for (int i = 0; i < 3000; ++i) {
    SessionRecord record;
    record.key = absl::StrCat("c/", i);
    record.epoch = record.incarnation = 1;
    record.saves.push_back({{7, {}}, std::string(1024, 'x')});
    if (!store.Acquire(record, 0).status.ok()) ++failures;
  }
  EXPECT_GT(failures, 0) << "no compaction has met the damage";
  EXPECT_LT(failures, 10);
}

}  // namespace
}  // namespace aaren::store
