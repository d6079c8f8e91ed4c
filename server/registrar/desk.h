#ifndef AAREN_SERVER_REGISTRAR_DESK_H_
#define AAREN_SERVER_REGISTRAR_DESK_H_

// The Desk is the registrar's thread and the table of who owns what. Operations are written as a chain of
// callbacks. Each runs on the registrar's thread, asks a shard, and goes on with the answer. Meanwhile the entry is
// busy and later operations on the same session wait in its queue.
//
// An entry exists while a shard holds the session or an operation on it is under way. Sessions at rest are in the store
// only.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/cores/background.h"
#include "server/registrar/delete/deleted_sessions.h"
#include "server/registrar/directory.h"
#include "server/registrar/lease_watch.h"
#include "server/registrar/owner.h"
#include "server/registrar/sessions.h"
#include "server/registrar/stored/stored_bytes.h"
#include "server/registrar/transit.h"
#include "server/session/mailbox.h"
#include "server/session/table/compact_key.h"
#include "server/store/punctual_store.h"

namespace aaren::registrar {

class Desk {
 public:
  template <typename T>
  using Callback = Sessions::Callback<T>;

  static constexpr int kAtRest = -1;

  struct Entry;  // stays where it is while it is busy or owned
  using Operation = absl::AnyInvocable<void(Entry&)>;

  struct Entry {
    std::string name() const { return std::string(key.view()); }

    session::CompactKey key;
    int owner = kAtRest;                             // a shard, or nobody
    std::unique_ptr<std::deque<Operation>> waiting;  // null: no operation under way
  };
  // In order of the keys, so that a page of a list is found without looking at the others.
  struct InOrder {
    using is_transparent = void;
    static absl::string_view Of(const std::unique_ptr<Entry>& entry) { return entry->key.view(); }
    static absl::string_view Of(absl::string_view key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) < Of(b);
    }
  };
  using Entries = absl::btree_set<std::unique_ptr<Entry>, InOrder>;

  Desk(store::StateStore& store, const models::ModelTable& models, const session::Clock& clock, size_t transit_bytes,
       absl::Duration patience);
  ~Desk();
  void Start();
  bool Drain(size_t at_most);
  // A page of a list takes long: one is made after each batch of other messages.
  void PostPage(absl::AnyInvocable<void()> page) {
    Post([this, page = std::move(page)]() mutable { pages_.push_back(std::move(page)); });
  }

  // From any thread.
  void AddShard(SessionOwner& owner);
  void Open(std::shared_ptr<const OpenCall> call);
  void Save(int shard, std::vector<store::SaveWrite> writes);
  void Released(std::string key);  // its shard no longer holds it
  void Promote(std::shared_ptr<const PromoteCall> call);
  void Delete(std::string key, DropCondition condition, Callback<std::monostate> done);
  void Sweep(absl::Duration ttl);  // deletes the sessions at rest that were not used for so long
  void WatchStore();               // gives up what it does not answer, and asks whether it is there, if that must be
  void Post(session::Mailbox::Message message) { inbox_->mailbox.Post(std::move(message)); }

  // What follows runs on the registrar's thread.

  // Does the operation once those before it on the same session are done. It must call Finish.
  void Submit(const std::string& key, Operation operation);
  void Finish(Entry& entry);
  bool Busy(const std::string& key) const;  // an operation on it is under way

  // Runs question(owner) on the shard's thread and then(answer) back on this one.
  template <typename Question, typename Then>
  void Ask(int shard, Question question, Then then) {
    SessionOwner& owner = *shards_[shard];
    owner.mailbox().Post([this, &owner, question = std::move(question), then = std::move(then)]() mutable {
      auto answer = question(owner);
      inbox_->mailbox.Post([then = std::move(then), answer = std::move(answer)]() mutable { then(std::move(answer)); });
    });
  }

  // What the store is given as an answer: then(value), back on this thread.
  template <typename T, typename Then>
  store::StateStore::Answer<T> Back(Then then) {
    ++store_calls_;
    // The answer holds the inbox: its thread may still be in Post when this has taken the message and gone.
    return [this, inbox = inbox_, then = std::move(then)](T value) mutable {
      inbox->mailbox.Post([this, then = std::move(then), value = std::move(value)]() mutable {
        --store_calls_;
        then(std::move(value));
      });
    };
  }

  // Runs then(work()), the work beside this thread and the rest back on it.
  template <typename T, typename Work, typename Then>
  void Compute(Work work, Then then) {
    ++computing_;
    background_.Post([this, inbox = inbox_, work = std::move(work), then = std::move(then)]() mutable {
      inbox->mailbox.Post([this, then = std::move(then), value = T(work())]() mutable {
        --computing_;
        then(std::move(value));
      });
    });
  }

  // Draws an epoch larger than `above` and all before, for then(StatusOr<uint64_t>): at once, or when the store has
  // given out more.
  void DrawEpoch(uint64_t above, absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> then);

  // Runs message(owner) on the shard's thread.
  template <typename Message>
  void Tell(int shard, Message message) {
    SessionOwner& owner = *shards_[shard];
    owner.mailbox().Post([&owner, message = std::move(message)]() mutable { message(owner); });
  }

  void Get(const std::string& key, Callback<session::SessionInfo> done);

  // The state of a session at rest or in a shard. The operation goes on: `done` is to Finish it.
  void Capture(Entry& entry, Callback<session::SessionState> done);
  void CaptureAtRest(Entry& entry, Callback<session::SessionState> done);

  // Says to the shards that the session, at rest so far, is somebody else's or gone: see demotion.cc. `epoch`: larger
  // than the one of before.
  void TellDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal);

  int shard_count() const { return static_cast<int>(shards_.size()); }

  // Which of these sessions, which are at rest, a stream has open all the same.
  void AskDemoted(std::vector<std::string> keys, absl::AnyInvocable<void(std::vector<bool>)> then);

  // Makes a session at rest. An operation of its own.
  void Place(const std::string& key, session::SessionState state, Replacing over, Callback<session::SessionInfo> done);

  void Export(const std::string& key, Callback<Snapshot> done);
  void Fork(const std::string& key, const std::string& new_key, identity::Account* account,
            Callback<session::SessionInfo> done);

  // Checks the snapshot, makes its rows anew if another model is wanted, and places what came of it.
  void Import(const std::string& key, ImportRequest request, Callback<session::SessionInfo> done);

  // The shard that has the session lets it go. An operation that is to Finish.
  void Evict(Entry& entry, Callback<std::monostate> done);

  using Ended = absl::AnyInvocable<void(std::optional<session::Refusal>)>;
  using Loaded = absl::AnyInvocable<void(absl::StatusOr<store::SessionRecord>)>;

  struct LoadedRecord {
    store::SessionRecord record;
    Transit::Permit permit;  // for as long as its rows are held
  };
  using RowsLoaded = absl::AnyInvocable<void(absl::StatusOr<LoadedRecord>)>;

  // Whether nobody has used it for the time to live. What another server has open is not judged by its clock.
  bool HasExpired(const store::SessionRecord& record) const;

  // Whether another server says that it has the session open, with tokens that may be newer than the record.
  bool LivesElsewhere(const store::SessionRecord& record) const;

  // What is told of a session at rest, or of one elsewhere.
  session::SessionInfo Describe(const store::SessionRecord& record) const;

  // The session's record without its rows; NotFound if there is none.
  void Find(std::string key, Loaded then);
  void FindUnexpired(std::string key, Loaded then);  // one that has expired is deleted and not found

  // The record that was found, with its rows, as soon as there is room for them. It comes at once where a permit is
  // held for them already, and without a call if it has none. Another server may have written since: so compare the
  // epochs.
  void Load(const store::SessionRecord& found, size_t row_bytes, Transit::Permit held, RowsLoaded then);

  store::StateStore& store() { return store_; }
  Transit& transit() { return transit_; }
  const Transit& transit() const { return transit_; }
  const store::StoreHealth& health() const { return store_.health(); }
  const models::ModelTable& models() const { return models_; }
  const session::Clock& clock() const { return clock_; }
  absl::Time now() const { return clock_.Now(); }
  absl::Time wall() const { return clock_.Wall(); }
  absl::Time stamp() const { return clock_.StampOf(now()); }
  bool saving() const { return saving_; }
  uint32_t max_channels() const { return max_channels_; }
  const save::Lease& lease() const { return lease_; }
  Entries& entries() { return entries_; }
  const DeletedSessions& deleted() const { return deleted_; }
  StoredBytes& stored() { return stored_; }
  bool leaving() const { return leaving_; }

 private:
  // What other threads touch.
  struct Inbox {
    session::Mailbox mailbox;
    absl::Mutex mutex;
    bool awake ABSL_GUARDED_BY(mutex) = true;  // for what was posted before Start
    bool stopping ABSL_GUARDED_BY(mutex) = false;
  };

  struct EpochWaiter {
    uint64_t above;
    absl::AnyInvocable<void(absl::StatusOr<uint64_t>)> then;
  };

  void Run();
  bool Finished(bool stopping) const { return stopping && store_calls_ == 0 && computing_ == 0; }
  void BeginPromotion(Entry& entry, std::shared_ptr<const PromoteCall> call);
  void EndPromotion(Entry& entry, const PromoteCall& call, Promoted promoted);
  void SaveBatch(int shard, std::vector<store::SaveWrite> writes);
  void SweepPage(absl::Duration ttl);
  void SweepRecords(const std::vector<store::SessionRecord>& page, absl::Duration ttl);
  void SweepOn(bool more, absl::Duration ttl);
  bool IsOwnEpoch(uint64_t epoch) const;
  void PlaceOver(Entry& entry, session::SessionState state, Replacing over,
                 const absl::StatusOr<store::SessionRecord>& held, Callback<session::SessionInfo> done);
  void CheckEpoch(Entry& entry, uint64_t wanted, const absl::StatusOr<store::SessionRecord>& held, Ended then);
  void WriteNew(Entry& entry, session::SessionState state, uint64_t held_epoch, Callback<session::SessionInfo> done);
  void EndPlace(Entry& entry, session::Outcome<session::SessionInfo> placed, Callback<session::SessionInfo> done);
  void DropEverywhere(Entry& entry, DropCondition condition, uint64_t epoch, Callback<std::monostate> done);
  void DropAtRest(Entry& entry, DropCondition condition, uint64_t epoch, Callback<std::monostate> done);
  void DropHeld(Entry& entry, DropReason reason, uint64_t epoch, Callback<std::monostate> done);
  void LogFailures(const std::vector<save::SaveResult>& results);
  void DeleteRecord(const std::string& key, const absl::StatusOr<store::SessionRecord>& record, Ended then);
  void GetAtRest(Entry& entry, session::SessionInfo info, Callback<session::SessionInfo> done);
  void AskForEpochs(uint64_t above);
  void OnEpochs(absl::StatusOr<uint64_t> first, uint64_t count);
  size_t LargestSession() const;

  store::PunctualStore store_;
  const models::ModelTable& models_;
  const session::Clock& clock_;
  std::vector<SessionOwner*> shards_;  // filled before the first operation
  bool saving_ = false;
  absl::Duration ttl_ = absl::ZeroDuration();
  uint32_t max_channels_ = 1;
  save::Lease lease_;

  std::deque<absl::AnyInvocable<void()>> pages_;          // of lists, to be made
  Entries entries_;                                       // the thread's only
  std::optional<std::string> sweep_after_;                // likewise; none: no sweep is under way
  bool leaving_ = false;                                  // likewise
  DeletedSessions deleted_;                               // likewise
  absl::Time log_failures_from_ = absl::InfinitePast();   // likewise
  uint64_t next_epoch_ = 0, end_epoch_ = 0;               // likewise: those that the store has given out for us
  std::deque<std::pair<uint64_t, uint64_t>> own_epochs_;  // likewise: first and end of the latest blocks of them
  LeaseWatch lease_watch_;                                // likewise
  StoredBytes stored_{*this};                             // likewise
  std::deque<EpochWaiter> epoch_waiters_;                 // likewise: for more of them
  uint64_t store_calls_ = 0;                              // likewise: not answered yet
  uint64_t computing_ = 0;                                // likewise: what Compute does now
  bool watching_ = false;                                 // likewise: a call of WatchStore is under way

  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  Transit transit_;
  std::thread thread_;  // none before Start
  cores::Background background_;
};

// Runs one Open: see open/open_operation.h.
void RunOpen(Desk& registrar, Desk::Entry& entry, std::shared_ptr<const OpenCall> call);

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_DESK_H_
