#include "server/store/punctual_store.h"

#include <cstdint>
#include <map>
#include <type_traits>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "server/operate/log/log.h"

namespace aaren::store {
namespace {

template <typename T>
T Unanswered() {
  absl::Status status = absl::UnavailableError("no answer in time; the outcome is not known");
  if constexpr (std::is_same_v<T, WriteResult>) {
    return {std::move(status), 0};
  } else {
    return T(std::move(status));
  }
}

constexpr absl::Duration kRoomAfter = absl::Minutes(1);  // without a refusal

// The refusal of a full store among an answer's results.
absl::Status RefusalIn(const absl::Status& write) {
  return absl::IsResourceExhausted(write) ? write : absl::OkStatus();
}
absl::Status RefusalIn(const WriteResult& result) { return RefusalIn(result.status); }
absl::Status RefusalIn(const std::vector<WriteResult>& results) {
  absl::Status refusal;
  for (const WriteResult& result : results) refusal.Update(RefusalIn(result));
  return refusal;
}
template <typename T>
absl::Status RefusalIn(const absl::StatusOr<T>& answer) {
  return RefusalIn(answer.status());
}

}  // namespace

// Calls in the order of their beginnings, and the health that answers and silence show.
class PunctualStore::Calls {
 public:
  using GiveUp = absl::AnyInvocable<void()>;

  Calls(std::string store, absl::Duration patience, std::function<absl::Time()> now)
      : store_(std::move(store)), patience_(patience), now_(std::move(now)) {}

  const StoreHealth& health() const { return health_; }

  // The number of a new call. `give_up` answers the call in place of the store; null: the call is never given up.
  uint64_t Begin(GiveUp give_up) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    under_way_.emplace(++last_, Call{now_(), std::move(give_up)});
    return last_;
  }

  // Notes the store's own answer. False if the call was given up before.
  template <typename T>
  bool End(uint64_t number, const T& answer) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = now_();
    const auto call = under_way_.find(number);
    const absl::Time made = call->second.made;
    const bool given_up = call->second.given_up;
    under_way_.erase(call);
    // A late answer tells of silence, even if Look has not run since the call grew late.
    if (now - made >= patience_) {
      NoteSilence(made);
      // An answer in time is no sign of health while an earlier call waits in vain.
    } else if (!IsLate(now)) {
      NoteAnswer(answer, now);
    }
    return !given_up;
  }

  // True if a call has waited for `patience`.
  bool IsLate() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return IsLate(now_());
  }

  void Look() ABSL_LOCKS_EXCLUDED(mutex_) {
    // The answers are given without the lock: an answer may make the next call.
    for (GiveUp& give_up : TakeLate()) give_up();
  }

 private:
  struct Call {
    absl::Time made;
    GiveUp give_up;
    bool given_up = false;
  };

  bool IsLate(absl::Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    // The first number belongs to the oldest call: numbers rise with time.
    return !under_way_.empty() && now - under_way_.begin()->second.made >= patience_;
  }

  // If a call is late, the ways to answer every waiting call.
  std::vector<GiveUp> TakeLate() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    std::vector<GiveUp> waiting;
    if (!IsLate(now_())) return waiting;
    NoteSilence(under_way_.begin()->second.made);
    for (auto& [number, call] : under_way_) {
      if (call.give_up != nullptr && !std::exchange(call.given_up, true)) waiting.push_back(std::move(call.give_up));
    }
    return waiting;
  }

  void NoteSilence(absl::Time since) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    health_.NoteSilence(since);
    // A silence is logged once, however many calls are late.
    if (std::exchange(silent_, true)) return;
    log::Log(log::LogLevel::kError, "the store does not answer",
             {{"store", store_}, {"for", absl::FormatDuration(patience_)}});
  }

  template <typename T>
  void NoteAnswer(const T& answer, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    health_.Note(answer, now);
    NoteRoom(RefusalIn(answer), now);
    if (!health_.available() || !std::exchange(silent_, false)) return;
    log::Log(log::LogLevel::kInfo, "the store answers again", {{"store", store_}});
  }

  // `refusal`: for lack of room; OK for any other answer. Some writes need no room, so their success tells nothing:
  // a full store has room again when it has refused nothing for a while.
  void NoteRoom(const absl::Status& refusal, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!refusal.ok()) {
      if (!std::exchange(refused_, now)) {
        log::Log(log::LogLevel::kWarning, "the store is full: new sessions and larger rows are refused",
                 {{"store", store_}, {"why", std::string(refusal.message())}});
      }
    } else if (refused_ && now - *refused_ >= kRoomAfter) {
      refused_.reset();
      log::Log(log::LogLevel::kInfo, "the store has room again", {{"store", store_}});
    }
  }

  const std::string store_;
  const absl::Duration patience_;
  const std::function<absl::Time()> now_;
  StoreHealth health_;  // written under mutex_
  mutable absl::Mutex mutex_;
  std::map<uint64_t, Call> under_way_ ABSL_GUARDED_BY(mutex_);  // by number
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  bool silent_ ABSL_GUARDED_BY(mutex_) = false;                // the last line of the log told of silence
  std::optional<absl::Time> refused_ ABSL_GUARDED_BY(mutex_);  // last, by a full store; nothing: the store has room
};

PunctualStore::PunctualStore(StateStore& store, absl::Duration patience, std::function<absl::Time()> now)
    : store_(store), calls_(std::make_shared<Calls>(store.name(), patience, std::move(now))) {}

void PunctualStore::Look() { calls_->Look(); }
const StoreHealth& PunctualStore::health() const { return calls_->health(); }

template <typename T, typename Call>
void PunctualStore::Ask(Answer<T> answer, Call call) {
  if (calls_->IsLate()) return answer(Unanswered<T>());
  // The store and Look share the answer. End and TakeLate decide under the lock of Calls which of the two gives it.
  const auto waiting = std::make_shared<Answer<T>>(std::move(answer));
  const uint64_t number = calls_->Begin([waiting] { (*waiting)(Unanswered<T>()); });
  call([calls = calls_, number, waiting](T value) {
    if (calls->End(number, value)) (*waiting)(std::move(value));
  });
}

void PunctualStore::TryWrite(Answer<absl::Status> answer) {
  Ask<absl::Status>(std::move(answer), [this](auto answered) { store_.TryWrite(std::move(answered)); });
}

void PunctualStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  Ask<absl::StatusOr<uint64_t>>(std::move(answer),
                                [&](auto answered) { store_.ReserveEpochs(count, std::move(answered)); });
}

void PunctualStore::Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  Ask<absl::StatusOr<SessionRecord>>(std::move(answer),
                                     [&](auto answered) { store_.Find(std::move(key), std::move(answered)); });
}

void PunctualStore::Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  Ask<absl::StatusOr<SessionRecord>>(std::move(answer),
                                     [&](auto answered) { store_.Load(std::move(key), std::move(answered)); });
}

void PunctualStore::Acquire(Acquisition acquisition, Answer<WriteResult> answer) {
  Ask<WriteResult>(std::move(answer),
                   [&](auto answered) { store_.Acquire(std::move(acquisition), std::move(answered)); });
}

void PunctualStore::Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) {
  const uint64_t number = calls_->Begin(nullptr);
  store_.Save(std::move(saves),
              [calls = calls_, number, answer = std::move(answer)](std::vector<WriteResult> results) mutable {
                (void)calls->End(number, results);
                answer(std::move(results));
              });
}

void PunctualStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) {
  Ask<WriteResult>(std::move(answer),
                   [&](auto answered) { store_.Delete(std::move(key), held_epoch, std::move(answered)); });
}

void PunctualStore::List(std::string prefix, std::string after, size_t limit,
                         Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) {
  Ask<absl::StatusOr<std::vector<SessionRecord>>>(std::move(answer), [&](auto answered) {
    store_.List(std::move(prefix), std::move(after), limit, std::move(answered));
  });
}

}  // namespace aaren::store
