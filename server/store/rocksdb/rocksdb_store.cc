#include "server/store/rocksdb/rocksdb_store.h"

#include <pthread.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "server/operate/log/log.h"
#include "server/store/format/fields.h"
#include "server/store/held.h"
#include "server/store/rocksdb/folder_check.h"
#include "server/store/rocksdb/header_list.h"
#include "server/store/rocksdb/rocksdb_settings.h"
#include "server/store/rocksdb/salvage.h"
#include "server/store/rocksdb/write_group.h"

namespace aaren::store {
namespace {

// Bounds the memory of a group, and how long its first call waits for the answer.
constexpr size_t kGroupBytes = 4 << 20;
constexpr uint64_t kEpochBlock = 1 << 20;  // the number given out on disk together
constexpr char kTryKey[] = "t";
constexpr size_t kTryBytes = 1024;  // more than an Open writes

absl::StatusOr<SessionRecord> FindNow(WriteGroup& group, const std::string& key) {
  const absl::StatusOr<std::optional<StoredHeader>> header = group.Header(key);
  if (!header.ok()) return header.status();
  if (!header->has_value()) return NoSuchSession(key);
  return WithoutRows(**header);
}

const StoredHeader* PointerTo(const std::optional<StoredHeader>& header) { return header ? &*header : nullptr; }

std::vector<uint64_t> SeqsOf(const StoredHeader& header) {
  std::vector<uint64_t> seqs;
  for (const StoredSlot& slot : header.slots) seqs.push_back(slot.point.seq);
  return seqs;
}

WriteResult AcquireNow(WriteGroup& group, Acquisition& acquisition) {
  SessionRecord& record = acquisition.record;
  const absl::StatusOr<std::optional<StoredHeader>> held = group.Header(record.key);
  if (!held.ok()) return {held.status(), 0};
  const StoredHeader* before = PointerTo(*held);
  WriteResult result = CompareHeld(record.key, before, acquisition.held_epoch);
  if (result.status.ok() && before != nullptr)
    result = CompareKept(*before, SeqsOf(*before), {acquisition.keep_seq, acquisition.newest_seq});
  if (!result.status.ok()) return result;
  group.Put(before, HeaderAfter(before, record, acquisition.keep_seq, record.saves), record.saves);
  return result;
}

WriteResult SaveNow(WriteGroup& group, SaveWrite& write) {
  const absl::StatusOr<std::optional<StoredHeader>> held = group.Held(write.header.key);
  if (!held.ok()) return {held.status(), 0};
  const StoredHeader* before = PointerTo(*held);
  WriteResult result = CompareWriter(before, write.header);
  if (!result.status.ok()) return result;
  std::vector<SavedRows> saves;
  saves.push_back(std::move(write.save));
  group.Put(before, HeaderAfter(before, std::move(write.header), write.keep_seq, saves), saves);
  return result;
}

WriteResult DeleteNow(WriteGroup& group, const std::string& key, std::optional<uint64_t> held_epoch) {
  const absl::StatusOr<std::optional<StoredHeader>> held = group.Header(key);
  // A damaged header says nothing of the slots, so all keys go. A disk that fails for a moment may give the header
  // later.
  if (!held.ok() && !absl::IsUnavailable(held.status()) && !held_epoch) {
    group.RemoveDamaged(key);
    return {};
  }
  if (!held.ok()) return {held.status(), 0};
  WriteResult result = held_epoch ? CompareHeld(key, PointerTo(*held), *held_epoch) : WriteResult();
  if (result.status.ok() && held->has_value()) group.Remove(**held);
  return result;
}

// The result of a write, once the group was committed. A refusal may rest on an earlier write of the group: if the
// group failed, nothing was refused.
WriteResult After(const absl::Status& group, WriteResult result) {
  return group.ok() || absl::IsDataLoss(result.status) ? std::move(result) : WriteResult{group, 0};
}

void AnswerWritten(WriteGroup& group, WriteResult result, StateStore::Answer<WriteResult> answer) {
  group.Then([result = std::move(result), answer = std::move(answer)](const absl::Status& written) mutable {
    answer(After(written, std::move(result)));
  });
}

std::unique_ptr<rocksdb::Options> SettingsOf(const RocksDbOptions& options, const FolderLock& folder, Ledger& ledger) {
  auto settings = std::make_unique<rocksdb::Options>(RocksDbSettings(options.buffer_bytes, &folder));
  settings->listeners.push_back(ledger.Listener());
  return settings;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RocksDbStore>> RocksDbStore::Open(const RocksDbOptions& options) {
  absl::StatusOr<FolderLock> lock = FolderLock::Take(options.folder, kFormat);
  if (!lock.ok()) return lock.status();
  // A copied folder may have the rights of any umask.
  KeepPrivate(lock->path());
  std::unique_ptr<RocksDbStore> store(new RocksDbStore(*std::move(lock), options));
  if (absl::Status status = store->OpenDatabase(); !status.ok()) return status;
  const absl::StatusOr<uint64_t> epoch = NextEpoch(*store->db_, store->lock_, store->epochs_);
  if (!epoch.ok()) return epoch.status();
  // The format is written last: a kill before leaves a folder that counts as new.
  if (store->lock_.is_new()) {
    if (absl::Status status = store->lock_.WriteFormat(kFormat); !status.ok()) return status;
  }
  // The rest of the last block is left out: the disk does not tell how many of its epochs were given out.
  store->next_epoch_ = store->end_epoch_ = *epoch;
  store->lister_.Start();
  store->thread_ = std::thread([made = store.get()] { made->Run(); });
  pthread_setname_np(store->thread_.native_handle(), "store");
  return store;
}

RocksDbStore::RocksDbStore(FolderLock lock, const RocksDbOptions& options)
    : lock_(std::move(lock)),
      epochs_(lock_.path()),
      options_(options),
      ledger_(lock_.path(), options.durability == Durability::kPower, options.boot),
      settings_(SettingsOf(options, lock_, ledger_)),
      sparing_(*settings_),
      held_(options.buffer_bytes / 2 / HeldCache::kBytes),
      lister_(lock_) {}

RocksDbStore::~RocksDbStore() {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
  lister_.Stop();
  if (db_ == nullptr || !failed_.ok()) return;
  // The log is then empty, and the next start depends on no log. The flush waits for no rewrite of files.
  rocksdb::FlushOptions at_once;
  at_once.allow_write_stall = true;
  (void)db_->Flush(at_once);
  ledger_.Record(*db_);  // a closing RocksDB may leave out the event of the last flush
}

// Only a new folder gets a database: a session missing in a database counts as deleted.
absl::Status RocksDbStore::OpenDatabase() {
  // The Lister lets go of the database before the database closes.
  lister_.Use(nullptr);
  db_.reset();
  const std::string folder = lock_.path() + "/rocksdb";
  const bool starts = thread_.get_id() == std::thread::id();
  std::error_code error;
  const bool has_database = std::filesystem::exists(folder, error);
  // A folder without a format is new, or has lost the format: only a folder with a database has a ledger.
  const bool may_create = lock_.is_new() && starts && !(has_database && ledger_.Exists());
  const bool accepts_loss = options_.accept_loss && starts && !may_create;
  if (may_create) {
    ledger_.Remove();                      // of a database that an operator has removed
    (void)mkdir(folder.c_str(), S_IRWXU);  // RocksDB will name an error
  } else if (!has_database) {
    return absl::UnavailableError(absl::StrCat(options_.folder,
                                               "/rocksdb: the database is gone. Put it back, or remove ",
                                               options_.folder, "/format to begin with no sessions"));
  }
  absl::Status ready;
  if (accepts_loss) ready = AcceptLoss();
  if (!accepts_loss && !may_create) ready = CheckBeforeOpen(starts);
  if (!ready.ok()) return ready;
  rocksdb::Options settings = *settings_;
  settings.create_if_missing = may_create;
  sparing_.Apply(settings);
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(settings, folder, &opened);
  db_.reset(opened);
  lister_.Use(opened);
  garbage_.Reset();
  if (!status.ok()) return absl::UnavailableError(absl::StrCat(options_.folder, ": ", lock_.Shown(status.ToString())));
  ledger_.Record(*db_);
  return ledger_.SetMark(db_->GetLatestSequenceNumber());
}

// A new database gets the readable sessions where RocksDB lacks a file that the MANIFEST names. RocksDB itself would go
// on without a file of rows, and every later start would be refused.
absl::Status RocksDbStore::AcceptLoss() const {
  RestoreManifest(lock_);
  const absl::StatusOr<LostWrites> lost = CheckDatabase(lock_, *settings_, ledger_);
  if (lost.ok()) {
    TellLost(*lost);
    return absl::OkStatus();
  }
  const absl::Status salvaged = SalvageInPlace(lock_);
  if (salvaged.ok()) return salvaged;
  return absl::UnavailableError(absl::StrCat(options_.folder, ": ", salvaged.message()));
}

void RocksDbStore::TellLost(const LostWrites& lost) const {
  if (lost.count == 0) return;
  log::Log(log::LogLevel::kError, "store opened without its last writes",
           {{"folder", options_.folder}, {"lost", absl::StrCat(lost.count)}});
}

// RocksDB would delete files that a short MANIFEST does not name. A log without its last writes is told instead of
// refused in two cases: after a loss of power, and while the server runs, whose sessions in memory are saved again.
absl::Status RocksDbStore::CheckBeforeOpen(bool starts) const {
  const absl::StatusOr<LostWrites> lost = CheckDatabase(lock_, *settings_, ledger_);
  if (absl::IsUnavailable(lost.status())) {
    return absl::UnavailableError(absl::StrCat(options_.folder, ": ", lost.status().message()));
  }
  if (!lost.ok() || (lost->count > 0 && lost->was_kept && starts)) {
    const std::string what = lost.ok() ? absl::StrCat("the log lacks ", lost->count, " of the last writes")
                                       : std::string(lost.status().message());
    return absl::DataLossError(absl::StrCat(
        options_.folder, "/rocksdb holds less than was written: ", what,
        ". Nothing in it was changed. Put back what is missing; or copy what can be read to another folder with "
        "--salvage=FOLDER; or begin with what is there with --accept_loss"));
  }
  TellLost(*lost);
  return absl::OkStatus();
}

// RocksDB goes on writing open files after a move of their folder, where nobody would find the files.
void RocksDbStore::CheckFolder() {
  const auto now = std::chrono::steady_clock::now();
  if (!failed_.ok() || now < next_check_) return;
  next_check_ = now + options_.pause;
  failed_ = lock_.Check();
  away_ = !failed_.ok();
  if (away_) log::Log(log::LogLevel::kError, "store lost", {{"why", failed_.ToString()}});
}

// Opens a database anew that failed to write, until writes succeed. A database whose folder was away has lost nothing.
void RocksDbStore::Mend() {
  const auto now = std::chrono::steady_clock::now();  // an operator may set the system clock back
  if (failed_.ok() || now < next_mend_) return;
  next_mend_ = now + options_.pause;
  failed_ = lock_.Check();
  const bool was_away = std::exchange(away_, false) && db_ != nullptr;
  if (!failed_.ok()) away_ = was_away;
  if (failed_.ok() && !was_away) failed_ = OpenDatabase();
  if (absl::IsDataLoss(failed_))
    failed_ = absl::UnavailableError(failed_.message());  // DATA_LOSS would blame a session
  if (failed_.ok()) reopened_.fetch_add(1, std::memory_order_relaxed);
  if (failed_.ok()) log::Log(log::LogLevel::kInfo, "store opened again", {{"folder", options_.folder}});
}

void RocksDbStore::Post(Call call) {
  absl::MutexLock lock(&mutex_);
  calls_.push_back(std::move(call));
}

void RocksDbStore::Run() {
  const auto called = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopping_ || !calls_.empty(); };
  for (;;) {
    std::vector<Call> calls;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&called));
      if (calls_.empty()) return;
      calls.swap(calls_);
    }
    CheckFolder();
    Mend();
    if (failed_.ok()) Look();
    WriteGroup group(db_.get(), held_, lock_, ledger_, failed_);
    for (Call& call : calls) {
      call(group);
      if (group.bytes() > kGroupBytes) group.Commit();
    }
    group.Commit();
    failed_ = group.failed();
    if (!failed_.ok() && !away_ && group.damaged()) NoteDamage();
  }
}

void RocksDbStore::Look() {
  const auto now = std::chrono::steady_clock::now();
  sparing_.Look(*db_, now);
  if (!sparing_.spares()) garbage_.Look(*db_, now);
}

// Opens the database anew, as after a failed write, and spares the database from then on.
void RocksDbStore::NoteDamage() {
  sparing_.Begin(std::chrono::steady_clock::now());
  log::Log(log::LogLevel::kError, "store damaged: files are not rewritten for an hour",
           {{"folder", options_.folder}, {"why", failed_.ToString()}});
}

// The disk has epochs as given out by the million, and callers get single epochs, so a restart never repeats an epoch.
absl::StatusOr<uint64_t> RocksDbStore::TakeEpochs(WriteGroup& group, uint64_t count) {
  if (end_epoch_ - next_epoch_ < count) {
    const uint64_t end = end_epoch_ + std::max(count, kEpochBlock);
    if (!group.failed().ok()) return group.failed();
    // Both records are on the disk before the first epoch of the block is given out.
    if (absl::Status status = epochs_.Write(end); !status.ok()) return status;
    std::string bytes;
    Put(bytes, end);
    group.PutRaw(kEpochKey, bytes);
    if (absl::Status status = group.CommitSynced(); !status.ok()) return status;
    // The epochs left in the old block are skipped: a caller gets epochs in a row.
    next_epoch_ = end_epoch_;
    end_epoch_ = end;
  }
  const uint64_t first = next_epoch_;
  next_epoch_ += count;
  return first;
}

void RocksDbStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  Post([this, count, answer = std::move(answer)](WriteGroup& group) mutable { answer(TakeEpochs(group, count)); });
}

void RocksDbStore::TryWrite(Answer<absl::Status> answer) {
  Post([answer = std::move(answer)](WriteGroup& group) mutable {
    group.PutRaw(kTryKey, std::string(kTryBytes, '\0'));
    group.Then([answer = std::move(answer)](const absl::Status& written) mutable { answer(written); });
  });
}

void RocksDbStore::Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  Post([key = std::move(key), answer = std::move(answer)](WriteGroup& group) mutable { answer(FindNow(group, key)); });
}

void RocksDbStore::Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  Post([key = std::move(key), answer = std::move(answer)](WriteGroup& group) mutable {
    if (group.Touches(key)) {  // rows are read from the database
      group.Commit();
      if (!group.failed().ok()) return answer(group.failed());
    }
    answer(group.Session(key));
  });
}

void RocksDbStore::Acquire(Acquisition acquisition, Answer<WriteResult> answer) {
  Post([acquisition = std::move(acquisition), answer = std::move(answer)](WriteGroup& group) mutable {
    AnswerWritten(group, AcquireNow(group, acquisition), std::move(answer));
  });
}

void RocksDbStore::Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) {
  Post([saves = std::move(saves), answer = std::move(answer)](WriteGroup& group) mutable {
    std::vector<WriteResult> results;
    results.reserve(saves.size());
    for (SaveWrite& save : saves) results.push_back(SaveNow(group, save));
    group.Then([results = std::move(results), answer = std::move(answer)](const absl::Status& written) mutable {
      for (WriteResult& result : results) result = After(written, std::move(result));
      answer(std::move(results));
    });
  });
}

void RocksDbStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) {
  Post([key = std::move(key), held_epoch, answer = std::move(answer)](WriteGroup& group) mutable {
    AnswerWritten(group, DeleteNow(group, key, held_epoch), std::move(answer));
  });
}

void RocksDbStore::List(std::string prefix, std::string after, size_t limit,
                        Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) {
  Post([this, prefix = std::move(prefix), after = std::move(after), limit,
        answer = std::move(answer)](WriteGroup& group) mutable {
    group.Commit();  // an iterator sees committed writes only
    if (db_ == nullptr) return answer(group.failed());
    lister_.List(HeaderWalk(std::move(prefix), after, limit), std::move(answer));
  });
}

}  // namespace aaren::store
