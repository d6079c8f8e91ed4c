#ifndef AAREN_TESTS_E2E_SOAK_CLIENTS_RIVAL_H_
#define AAREN_TESTS_E2E_SOAK_CLIENTS_RIVAL_H_

// A Rival is a client without manners. It opens sessions that further rivals have open. It sends tokens behind an
// unanswered Open, sends tokens twice, with gaps, and malformed. It closes, deletes, does not read and leaves at any
// moment. Threading: Turn on one thread.

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/soak/chance.h"
#include "tests/e2e/soak/clients/conversation.h"
#include "tests/e2e/soak/world.h"

namespace aaren::soak {

class Rival : public Application {
 public:
  Rival(World& world, int number, std::vector<std::string> ids);

  // Does something, and waits a little.
  void Turn();
  void Leave() { conversation_.reset(); }

 private:
  void Connect();
  void Trouble();
  void Open(v1::ClientMessage& message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(conversation_->mutex());
  void Send(uint32_t handle, Hold& hold, v1::ClientMessage& message)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(conversation_->mutex());
  void Close(uint32_t handle, Hold& hold, v1::ClientMessage& message);

  World& world_;
  const std::string name_;
  Chance chance_;
  const std::vector<std::string> ids_;
  std::unique_ptr<Conversation> conversation_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CLIENTS_RIVAL_H_
