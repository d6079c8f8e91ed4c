#ifndef AAREN_SERVER_STORE_PUNCTUAL_STORE_H_
#define AAREN_SERVER_STORE_PUNCTUAL_STORE_H_

// A PunctualStore is another store, and knows whether the store below answers in time. A disk whose writes hang gives
// no answer at all. So the store is away as well once a call has waited for `patience`:
//
//   calls under way     are answered Unavailable, as a write with an unknown outcome. A late answer is dropped.
//   calls to come       are refused with Unavailable and do not reach the store, where calls would pile up.
//   saves               wait for the store, and reach the store: a shard has few saves under way, and a save given up
//                       would be written twice. A late save makes the store be away like any late call.
//
// A late answer is no sign of health. The store is back once a later write is answered in time. A store that refuses
// writes for lack of room is not away: the log tells when the refusals begin, and when they have ended.
//
// Threading: calls and Look by the registrar's thread, health by any thread; the store below answers on any thread.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "server/store/store.h"
#include "server/store/store_health.h"

namespace aaren::store {

class PunctualStore : public StateStore {
 public:
  // `store` outlives its last answer. `now` may be called from any thread.
  PunctualStore(StateStore& store, absl::Duration patience, std::function<absl::Time()> now);

  // Gives up late calls. REQUIRES: called every second.
  void Look();

  const StoreHealth& health() const;

  std::string name() const override { return store_.name(); }
  bool shared() const override { return store_.shared(); }
  uint64_t reconnects() const override { return store_.reconnects(); }
  void TryWrite(Answer<absl::Status> answer) override;
  void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) override;
  void Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Acquire(Acquisition acquisition, Answer<WriteResult> answer) override;
  void Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) override;
  void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) override;
  void List(std::string prefix, std::string after, size_t limit,
            Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) override;

 private:
  class Calls;  // without an answer yet

  // Runs call(answer), which asks the store, unless the store is away.
  template <typename T, typename Call>
  void Ask(Answer<T> answer, Call call);

  StateStore& store_;
  const std::shared_ptr<Calls> calls_;  // shared with the answers: late answers outlive the PunctualStore
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_PUNCTUAL_STORE_H_
