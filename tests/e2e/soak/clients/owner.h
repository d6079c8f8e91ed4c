#ifndef AAREN_TESTS_E2E_SOAK_CLIENTS_OWNER_H_
#define AAREN_TESTS_E2E_SOAK_CLIENTS_OWNER_H_

// An Owner is a well-mannered client with a few errands and two streams. It moves open sessions from stream to stream,
// loses streams, dies and comes back. It ends each session when all forecasts have come once. Threading: Turn on one
// thread.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/soak/chance.h"
#include "tests/e2e/soak/clients/conversation.h"
#include "tests/e2e/soak/clients/errand.h"
#include "tests/e2e/soak/world.h"

namespace aaren::soak {

class Owner {
 public:
  Owner(World& world, int number, const std::vector<std::string>& ids);

  // Does something, and waits a little. In the calm Turn only continues begun work.
  void Turn();

  // The first session that has not reached its goal and been closed; empty: none.
  std::string Unfinished() const;
  void Leave();

 private:
  struct Job {
    std::unique_ptr<Errand> errand;
    std::unique_ptr<std::atomic<bool>> finished = std::make_unique<std::atomic<bool>>(false);
  };

  // An open handle of an errand's session. While another stream may have an Open of the session under way, the grip
  // tells the server of no further delivery: the Open already has a delivered_seq.
  struct Grip {
    uint32_t handle;
    Hold& hold;
    bool delivers;
  };

  bool Ready(std::unique_ptr<Conversation>& conversation);
  void Trouble(Conversation& conversation);
  void Die();
  void Work(Job& job, Conversation& conversation);
  void Go(Job& job, Conversation& conversation, Grip grip, v1::ClientMessage& message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(conversation.mutex());
  void Send(Job& job, Conversation& conversation, Grip grip, v1::ClientMessage& message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(conversation.mutex());
  void End(Job& job, Grip grip, v1::ClientMessage& message);
  bool OpenElsewhere(const Job& job, Conversation& conversation);
  uint64_t Goal() { return 50 + chance_.Size(6000); }

  World& world_;
  const std::string name_;
  Chance chance_;
  std::vector<Job> jobs_;
  std::unique_ptr<Conversation> conversations_[2];  // end before the errands do
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CLIENTS_OWNER_H_
