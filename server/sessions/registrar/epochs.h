#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_EPOCHS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_EPOCHS_H_

// Epochs are drawn from the store in blocks of 1,024, so that no Open waits for its epoch. Threading: belongs to the
// registrar's thread.

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "server/sessions/registrar/mail.h"
#include "server/store/store.h"

namespace aaren::registrar {

class Epochs {
 public:
  using Drawn = absl::AnyInvocable<void(absl::StatusOr<uint64_t>)>;

  // The arguments outlive this.
  Epochs(Mail& mail, store::StateStore& store) : mail_(mail), store_(store) {}

  // Draws an epoch larger than `above` and all before: at once, or when the store has given out another block.
  void Draw(uint64_t above, Drawn then);

  // True for an epoch of the latest blocks that this server has drawn: 67 million Opens.
  bool IsOwn(uint64_t epoch) const;

 private:
  struct Waiter {
    uint64_t above;
    Drawn then;
  };

  void DrawOrAsk(uint64_t above, Drawn then, uint64_t count);
  void AskForBlock(uint64_t count);
  void OnBlock(const absl::StatusOr<uint64_t>& first, uint64_t count);

  Mail& mail_;
  store::StateStore& store_;
  uint64_t next_ = 0, end_ = 0;              // the block in use
  absl::btree_map<uint64_t, uint64_t> own_;  // the end of each of the latest blocks, by its first epoch
  std::vector<Waiter> waiters_;              // for another block
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_EPOCHS_H_
