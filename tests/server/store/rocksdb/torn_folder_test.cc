// Kills of writers at random instants, and damage to folders at random places. The environment gives the numbers:
// AAREN_KILLS, AAREN_TORN, AAREN_SEED.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>

#include "absl/strings/match.h"
#include "tests/server/store/rocksdb/lost_files.h"

namespace aaren::store {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class TornFolderTest : public LostFiles {
 protected:
  uint64_t Below(uint64_t end) { return chance_() % end; }

  // A writer of the folder, killed after a random time, perhaps while it opens the folder, or after a number of writes.
  WriterRun KillOne(uint64_t round) {
    const uint64_t way = Below(3);
    if (way == 0) return RunWriter(folder_, round, Below(1500), 0, End::kKilled, oracle_);
    const int most_ms = 1 + static_cast<int>(Below(way == 1 ? 100 : 600));
    return RunWriter(folder_, round, 100'000, most_ms, End::kKilled, oracle_);
  }

  void FlipABit(const std::string& path) {
    const uint64_t size = fs::file_size(path);
    if (size == 0) return;
    const auto at =
        static_cast<std::streamoff>(Below(2) == 0 ? Below(size) : size - 1 - Below(std::min<uint64_t>(size, 400)));
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(byte ^ (1 << Below(8))));
  }

  // Damages a random file of the database in a random way; tells how.
  std::string TearOne() {
    const std::vector<std::string> kinds{"MANIFEST-", "CURRENT", ".log", ".sst", ".blob"};
    const std::vector<std::string> all = Find(kinds[Below(kinds.size())]);
    if (all.empty()) return "";
    const std::string path = all[Below(all.size())];
    const uint64_t size = fs::file_size(path);
    switch (Below(5)) {
      case 0:
        fs::remove(path);
        return path + " removed; ";
      case 1:
        fs::resize_file(path, 0);
        return path + " emptied; ";
      case 2:
        CutOff(path, 1 + Below(40));
        return absl::StrCat(path, " cut to ", fs::file_size(path), " of ", size, "; ");
      case 3:
        fs::resize_file(path, size == 0 ? 0 : Below(size));
        return absl::StrCat(path, " cut to ", fs::file_size(path), " of ", size, "; ");
      default:
        FlipABit(path);
        return path + " flipped; ";
    }
  }

  // The open is refused by name and changes nothing, or finds every write, or the log tells of lost writes.
  void ExpectNothingLostWithoutAWord() {
    const Files torn = FilesIn(folder_);
    testing::internal::CaptureStderr();
    auto store = Open();
    const std::vector<std::string> lost =
        store.ok() ? oracle_.Lost(BlockingStore(**store)) : std::vector<std::string>();
    const absl::Status status = store.status();
    store = absl::UnknownError("closed");
    const std::string log = testing::internal::GetCapturedStderr();
    const bool told = absl::StrContains(log, "store opened without its last writes");
    if (!status.ok()) {
      ++refused_;
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
      EXPECT_TRUE(FilesIn(folder_) == torn) << "files were changed";
    } else if (told) {
      ++told_lost_;
    } else {
      ++whole_;
      EXPECT_THAT(lost, IsEmpty()) << log;
    }
  }

  std::mt19937_64 chance_{FromEnvironment("AAREN_SEED", 1)};
  uint64_t refused_ = 0, told_lost_ = 0, whole_ = 0;
};

TEST_F(TornFolderTest, AKillAtAnyInstantIsNeverRefusedAndLosesNothing) {
  const uint64_t kills = FromEnvironment("AAREN_KILLS", 25);
  uint64_t in_opens = 0;
  for (uint64_t round = 1; round <= kills && !HasFailure(); ++round) {
    const WriterRun run = KillOne(round);
    EXPECT_EQ(run.refused, "") << "round " << round;
    in_opens += !run.opened;
    if (fs::exists(folder_) && (round % 10 == 0 || round == kills)) {
      Keep();
      ExpectAllThere();
      Restore();  // the writers go on from the folder left by the kill
    }
  }
  if (HasFailure()) fs::copy(folder_, folder_ + ".failed", fs::copy_options::recursive);
  std::cout << kills << " kills, " << in_opens << " of them before the folder was open, " << oracle_.sessions()
            << " sessions\n";
}

TEST_F(TornFolderTest, ATornFolderIsRefusedByNameOrLosesNothingWithoutAWord) {
  const uint64_t folders = FromEnvironment("AAREN_TORN", 30);
  for (uint64_t round = 1; round <= folders && !HasFailure(); ++round) {
    if (round % 10 == 1) {
      EXPECT_EQ(
          RunWriter(folder_, round, 50 + Below(1000), 0, Below(4) == 0 ? End::kStopped : End::kKilled, oracle_).refused,
          "");
      EXPECT_EQ(KillOne(round + 1).refused, "");
      Keep();
    }
    std::string changes;
    for (uint64_t count = 1 + Below(2); count > 0; --count) changes += TearOne();
    options_.boot = Below(4) == 0 ? "another" : ThisBoot();
    if (round % 5 == 0) SalvagedAll();
    ExpectNothingLostWithoutAWord();
    EXPECT_FALSE(HasFailure()) << "round " << round << ": " << changes;
    Restore();
  }
  std::cout << folders << " folders torn: " << refused_ << " refused, " << told_lost_ << " without their last writes, "
            << whole_ << " with all that was answered\n";
}

}  // namespace
}  // namespace aaren::store
