#include "server/store/rocksdb/sparing.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"

namespace aaren::store {
namespace {

constexpr std::chrono::hours kSpare(1);

// The number of files that were flushed and not rewritten; the largest number if RocksDB does not tell.
int FilesOf(rocksdb::DB& db) {
  std::string text;
  int files = 0;
  const bool told = db.GetProperty(rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &text);
  return told && absl::SimpleAtoi(text, &files) ? files : std::numeric_limits<int>::max();
}

}  // namespace

bool IsDamage(const rocksdb::Status& status) {
  // RocksDB gives the error of the system as text alone.
  return status.IsCorruption() || (status.IsIOError() && absl::StrContains(status.ToString(), std::strerror(EIO)));
}

void Sparing::Begin(Time now) {
  phase_ = Phase::kSparing;
  until_ = now + kSpare;
}

void Sparing::Apply(rocksdb::Options& settings) const {
  if (phase_ == Phase::kNone) return;
  settings.disable_auto_compactions = phase_ == Phase::kSparing;
  settings.level0_slowdown_writes_trigger = settings.level0_stop_writes_trigger = std::numeric_limits<int>::max();
}

void Sparing::Look(rocksdb::DB& db, Time now) {
  if (phase_ == Phase::kNone || now < next_) return;
  next_ = now + std::chrono::seconds(1);
  if (phase_ == Phase::kSparing && now >= until_) {
    if (db.SetOptions({{"disable_auto_compactions", "false"}}).ok()) phase_ = Phase::kCatchingUp;
  } else if (phase_ == Phase::kCatchingUp && FilesOf(db) < usual_.level0_slowdown_writes_trigger) {
    const rocksdb::Status set =
        db.SetOptions({{"level0_slowdown_writes_trigger", absl::StrCat(usual_.level0_slowdown_writes_trigger)},
                       {"level0_stop_writes_trigger", absl::StrCat(usual_.level0_stop_writes_trigger)}});
    if (set.ok()) phase_ = Phase::kNone;
  }
}

}  // namespace aaren::store
