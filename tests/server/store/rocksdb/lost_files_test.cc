// Files of a database that are missing, torn or of the past: the store opens with everything, or refuses by name and
// leaves every byte.

#include "tests/server/store/rocksdb/lost_files.h"

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "rocksdb/db.h"
#include "server/store/open_store.h"
#include "server/store/rocksdb/synced_file.h"

namespace aaren::store {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::HasSubstr;

class LostFilesTest : public LostFiles {
 protected:
  // Opens the database like an earlier server without a ledger.
  void AsAnEarlierServer(const std::function<void(rocksdb::DB&)>& use) const {
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, database_, &opened).ok());
    use(*std::unique_ptr<rocksdb::DB>(opened));
  }

  std::string ErrorsOfAStart() const {
    testing::internal::CaptureStderr();
    const auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(LostFilesTest, AFolderWithAllItsFilesHasAllThatWasAnswered) {
  for (const End end : {End::kKilled, End::kStopped}) {
    Write(end, end == End::kKilled ? 1 : 2);
    ExpectAllThere();
  }
}

TEST_F(LostFilesTest, AManifestWithoutItsEndIsRefused) {
  Write(End::kStopped);
  for (const uint64_t bytes : {20, 200, 1000, 1'000'000}) {
    CutOff(Find("MANIFEST-").back(), bytes);
    ExpectRefused("MANIFEST-");
    Restore();
  }
  ExpectAllThere();
}

TEST_F(LostFilesTest, AManifestWithOtherBytesIsRefused) {
  Write(End::kStopped);
  const std::string manifest = Find("MANIFEST-").back();
  const auto size = static_cast<std::streamoff>(fs::file_size(manifest));
  for (const std::streamoff at : {size - 1, size - 60, size / 2}) {
    std::fstream file(manifest, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 64)).flush();
    ExpectRefused("MANIFEST-");
    Restore();
  }
}

TEST_F(LostFilesTest, AManifestOfThePastIsRefused) {
  Write(End::kStopped);
  const std::string past = folder_ + ".past";
  fs::remove_all(past);
  fs::rename(before_, past);
  Write(End::kKilled, 2);
  for (const auto& entry : fs::directory_iterator(past + "/rocksdb")) {
    const std::string name = entry.path().filename();
    if (name != "CURRENT" && name.rfind("MANIFEST-", 0) != 0) continue;
    fs::copy_file(entry.path(), database_ + "/" + name, fs::copy_options::overwrite_existing);
  }
  ExpectRefused("CURRENT names MANIFEST-");
  fs::remove_all(past);
}

// A folder in the place of the next file fails every write of a ledger.
TEST_F(LostFilesTest, ALedgerWithoutRoomStaysAsItWasAndCostsNoSession) {
  Write(End::kStopped);
  const std::string before = FilesIn(folder_)[folder_ + "/ledger"];
  fs::create_directory(folder_ + "/ledger.next");
  ASSERT_EQ(RunWriter(folder_, 2, 300, 0, End::kKilled, oracle_).refused, "");
  fs::remove(folder_ + "/ledger.next");
  EXPECT_EQ(FilesIn(folder_)[folder_ + "/ledger"], before);
  ExpectAllThere();
  EXPECT_NE(FilesIn(folder_)[folder_ + "/ledger"], before);
  CutOff(Find("MANIFEST-").back(), 20);
  ExpectRefused("MANIFEST-");
}

// A write to /dev/full fails as on a full disk.
TEST_F(LostFilesTest, AMarkWithoutRoomRefusesTheStartAndCostsNoSession) {
  Write(End::kKilled);
  fs::create_symlink("/dev/full", folder_ + "/mark.next");
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("mark.next: No space left on device"));
  ExpectAllThere();
}

TEST_F(LostFilesTest, AMissingManifestOrCurrentIsRefused) {
  Write(End::kKilled);
  fs::remove(Find("MANIFEST-").back());
  ExpectRefused("is missing");
  Restore();
  fs::resize_file(database_ + "/CURRENT", 0);
  ExpectRefused("CURRENT is damaged");
  fs::remove(database_ + "/CURRENT");
  ExpectRefused("CURRENT is missing");
}

TEST_F(LostFilesTest, AMissingOrShortFileIsRefusedByItsName) {
  Write(End::kStopped);
  for (const std::string kind : {".sst", ".blob"}) {
    const std::vector<std::string> files = Find(kind);
    for (const std::string& path : {files.front(), files.back()}) {
      const std::string name = fs::path(path).filename();
      fs::remove(path);
      ExpectRefused(name);
      Restore();
      CutOff(path, 1);
      ExpectRefused(name);
      fs::resize_file(path, 0);
      ExpectRefused(name);
      Restore();
    }
  }
  ExpectAllThere();
}

TEST_F(LostFilesTest, AnEmptyShortOrMissingLogIsRefused) {
  Write(End::kKilled, 1, 305);
  const std::string log = Find(".log").back();
  const uint64_t size = fs::file_size(log);
  ASSERT_GT(size, 0u);
  for (const uint64_t less : {uint64_t{1}, size / 2, size}) {
    CutOff(log, less);
    ExpectRefused("the log lacks ");
    Restore();
  }
  fs::remove(log);
  ExpectRefused("the log lacks ");
  Restore();
  ExpectAllThere();
}

TEST_F(LostFilesTest, AfterAStopNothingIsInTheLog) {
  Write(End::kStopped);
  for (const std::string& log : Find(".log")) fs::remove(log);
  ExpectAllThere();
}

TEST_F(LostFilesTest, ALogThatThePowerLossTookIsTold) {
  Write(End::kKilled, 1, 305);
  fs::resize_file(Find(".log").back(), 0);
  options_.boot = "another";
  EXPECT_THAT(ErrorsOfAStart(), HasSubstr("store opened without its last writes"));
  EXPECT_EQ(ErrorsOfAStart(), "") << "what was told is not told again";
}

TEST_F(LostFilesTest, ALogWhoseWritesLayOnTheDiskIsRefusedAtAnyBoot) {
  options_.durability = Durability::kPower;
  {
    const auto store = Open();
    for (uint64_t i = 1; i < 5; ++i) {
      SessionRecord record;
      record.key = absl::StrCat("t/", i);
      record.epoch = record.incarnation = 1;
      record.saves.push_back({{i, {}}, std::string(2000, 'a')});
      ASSERT_TRUE(BlockingStore(**store).Put(record).ok());
    }
    Keep();
  }
  Restore();
  fs::resize_file(Find(".log").back(), 0);
  options_.boot = "another";
  ExpectRefused("the log lacks ");
}

TEST_F(LostFilesTest, ADamagedLedgerCostsNothing) {
  Write(End::kKilled);
  for (const std::string name : {"/ledger", "/mark"}) {
    CutOff(folder_ + name, 3);
    EXPECT_THAT(ErrorsOfAStart(), HasSubstr("store cannot be compared with what was written"));
    Restore();
    fs::resize_file(folder_ + name, 0);
    ExpectAllThere();
    Restore();
  }
}

TEST_F(LostFilesTest, AMissingLedgerOrMarkIsTold) {
  Write(End::kKilled);
  for (const std::string name : {"/ledger", "/mark"}) {
    fs::remove(folder_ + name);
    EXPECT_THAT(ErrorsOfAStart(), HasSubstr("store cannot be compared with what was written"));
    Restore();
  }
}

TEST_F(LostFilesTest, ATornOrMissingFormatCostsNothing) {
  Write(End::kKilled);
  for (const uint64_t left : {12, 5, 0}) {
    fs::resize_file(folder_ + "/format", left);
    ExpectAllThere();
    Restore();
  }
  fs::remove(folder_ + "/format");
  ExpectAllThere();
}

// A killed server may have begun a flush: the end of the MANIFEST is then news to the ledger, and no loss.
TEST_F(LostFilesTest, AFolderWithoutItsFormatIsComparedAllTheSame) {
  Write(End::kStopped);
  fs::remove(folder_ + "/format");
  CutOff(Find("MANIFEST-").back(), 20);
  ExpectRefused("MANIFEST-");
}

TEST_F(LostFilesTest, TheLogOfAFolderWithoutItsFormatIsComparedAllTheSame) {
  Write(End::kKilled, 1, 305);
  fs::remove(folder_ + "/format");
  CutOff(Find(".log").back(), 20);
  ExpectRefused("the log lacks ");
}

TEST_F(LostFilesTest, AFolderWithNeitherFormatNorDatabaseBeginsAnew) {
  Write(End::kKilled);
  fs::remove(folder_ + "/format");
  fs::remove_all(database_);
  EXPECT_TRUE(Open().ok());
  EXPECT_TRUE(Open().ok());
}

TEST_F(LostFilesTest, AFolderOfAnEarlierServerIsTaken) {
  Write(End::kKilled);
  fs::remove(folder_ + "/ledger");
  fs::remove(folder_ + "/mark");
  ExpectAllThere();
  EXPECT_TRUE(fs::exists(folder_ + "/ledger"));
}

TEST_F(LostFilesTest, AFolderThatAnEarlierServerUsedMeanwhileIsTaken) {
  Write(End::kKilled);
  AsAnEarlierServer([](rocksdb::DB& db) {
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(db.Put({}, absl::StrCat("z", i), "").ok());
    ASSERT_TRUE(db.CompactRange({}, nullptr, nullptr).ok());
    ASSERT_TRUE(db.Put({}, "z", "").ok());
  });
  ExpectAllThere();
}

TEST_F(LostFilesTest, ACopyOfAStoppedServersFolderIsTaken) {
  Write(End::kStopped);
  Restore();
  options_.boot = "another";
  ExpectAllThere();
}

TEST_F(LostFilesTest, AcceptedLossOfALogIsToldOnce) {
  Write(End::kKilled, 1, 305);
  fs::resize_file(Find(".log").back(), 0);
  options_.accept_loss = true;
  EXPECT_THAT(ErrorsOfAStart(), HasSubstr("store opened without its last writes"));
  options_.accept_loss = false;
  EXPECT_EQ(ErrorsOfAStart(), "");
}

TEST_F(LostFilesTest, ATornManifestCostsASalvageNothing) {
  Write(End::kKilled);
  const std::string manifest = Find("MANIFEST-").back();
  fs::resize_file(manifest, fs::file_size(manifest) / 2);
  const Files torn = FilesIn(folder_);
  EXPECT_TRUE(SalvagedAll()) << told_;
  EXPECT_TRUE(FilesIn(folder_) == torn) << "files were changed";
  fs::remove(manifest);
  fs::remove(database_ + "/CURRENT");
  EXPECT_TRUE(SalvagedAll()) << told_;
  options_.accept_loss = true;
  ExpectAllThere();
}

TEST_F(LostFilesTest, ASalvageNamesEverySessionThatItCannotCopy) {
  Write(End::kStopped);
  for (const std::string kind : {".sst", ".blob"}) {
    bool lost_any = false;
    const std::vector<std::string> files = Find(kind);
    for (const std::string& path : {files.front(), files.back()}) {
      fs::remove(path);
      lost_any |= !SalvagedAll();
      EXPECT_THAT(told_, HasSubstr(fs::path(path).filename().string()));
      EXPECT_THAT(lost_, Each(HasSubstr(" at 0 not "))) << "sessions of the past";
      Restore();
    }
    EXPECT_TRUE(lost_any) << kind;
  }
}

// Writes behind the limit fail as on a full disk, except for the words of the error.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  void (*const signal_)(int);
  rlimit before_ = {};
};

TEST_F(LostFilesTest, ASalvageWithoutRoomGivesItsRoomBack) {
  Write(End::kStopped);
  const std::string to = folder_ + ".salvaged";
  fs::remove_all(to);
  {
    const FolderLock lock = FolderLock::Take(folder_, kFormat).value();
    const FileSizeLimit limit(1 << 10);
    EXPECT_FALSE(Salvage(lock, to, [](const std::string&) {}).ok());
  }
  EXPECT_TRUE(fs::is_empty(to));
  fs::remove(to);
}

// A read-only or a full disk is the usual reason for a salvage.
class SalvageStoreTest : public LostFilesTest {
 protected:
  SalvageStoreTest() {
    config_.set_data_dir(folder_);
    config_.set_salvage(folder_ + ".salvaged");
  }

  absl::Status RunSalvage() const {
    const auto ignore = [](const std::string&) {};
    return SalvageStore(config_, ignore).status();
  }

  const std::string owner_ = folder_ + "/owner";
  config::ServerConfig config_;
};

TEST_F(SalvageStoreTest, LeavesTheOldOwnersNameInTheFolder) {
  Write(End::kStopped);
  std::ofstream(owner_) << "process 1 on elsewhere\n";
  EXPECT_TRUE(RunSalvage().ok());
  EXPECT_EQ(ReadWhole(owner_).value(), "process 1 on elsewhere\n");
}

TEST_F(SalvageStoreTest, MakesNoFileInTheFolder) {
  Write(End::kStopped);
  fs::remove(owner_);
  EXPECT_TRUE(RunSalvage().ok());
  EXPECT_FALSE(fs::exists(owner_));
}

TEST_F(SalvageStoreTest, RefusesTheFolderOfARunningServer) {
  Write(End::kStopped);
  const FolderLock running = FolderLock::Take(folder_, kFormat).value();
  EXPECT_TRUE(absl::IsAlreadyExists(RunSalvage()));
}

TEST_F(LostFilesTest, AnAcceptedLossWithoutRoomLeavesTheFolderAsItWas) {
  Write(End::kStopped);
  fs::remove(Find(".sst").front());
  const Files before = FilesIn(database_);
  options_.accept_loss = true;
  {
    const FileSizeLimit limit(1 << 10);
    EXPECT_FALSE(Open().ok());
  }
  EXPECT_FALSE(fs::exists(folder_ + "/salvaged"));
  EXPECT_TRUE(FilesIn(database_) == before) << "files were changed";
}

TEST_F(LostFilesTest, AcceptedLossOfAFileBeginsWithTheOthersAndLaterStartsNeedNoFlag) {
  Write(End::kStopped);
  for (const std::string kind : {".sst", ".blob"}) {
    const std::string path = Find(kind).front();
    for (const bool gone : {true, false}) {
      gone ? (void)fs::remove(path) : CutOff(path, 1);
      options_.accept_loss = true;
      {
        const auto store = Open();
        ASSERT_TRUE(store.ok()) << store.status();
      }
      EXPECT_TRUE(fs::exists(folder_ + "/rocksdb.lost/CURRENT"));
      EXPECT_FALSE(fs::exists(folder_ + "/salvaged"));
      options_.accept_loss = false;
      EXPECT_TRUE(Open().ok()) << path;
      Restore();
    }
  }
}

TEST_F(LostFilesTest, ASecondAcceptedLossKeepsBothOldDatabases) {
  Write(End::kStopped);
  options_.accept_loss = true;
  for (const std::string lost : {"/rocksdb.lost", "/rocksdb.lost.2"}) {
    fs::remove(Find(".sst").front());
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE(fs::exists(folder_ + lost + "/CURRENT"));
  }
}

}  // namespace
}  // namespace aaren::store
