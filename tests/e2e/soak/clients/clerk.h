#ifndef AAREN_TESTS_E2E_SOAK_CLIENTS_CLERK_H_
#define AAREN_TESTS_E2E_SOAK_CLIENTS_CLERK_H_

// A Clerk calls unary methods about all sessions: Get, List and Export of any; Fork, Import and Delete of the
// rivals' sessions. A fork or an import goes on with its source's tokens, sent by rivals. Threading: Turn on one
// thread.

#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/models.grpc.pb.h"
#include "aaren/v1/sessions.grpc.pb.h"
#include "tests/e2e/soak/chance.h"
#include "tests/e2e/soak/connection.h"
#include "tests/e2e/soak/world.h"

namespace aaren::soak {

class Clerk {
 public:
  Clerk(World& world, std::vector<std::string> contested, std::vector<std::string> owned);

  void Turn();

  // Deletes every session in List, and counts them.
  void DeleteAll();

 private:
  struct Paper {  // an exported session
    std::string snapshot;
    std::shared_ptr<Life> source;
    uint64_t next_seq;
    char kind;
  };

  bool Connect();
  std::shared_ptr<Life> Get(const std::string& id);
  void List();
  void Export(const std::string& id);
  void Import(const std::string& id);
  void Fork(const std::string& id);
  void Delete(const std::string& id);

  // True if the answer is OK; a code outside `allowed` breaks a promise.
  bool Good(const std::string& id, const char* what, const grpc::Status& status, std::vector<grpc::StatusCode> allowed);

  World& world_;
  Chance chance_;
  const std::vector<std::string> contested_, owned_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<v1::Sessions::Stub> stub_;
  std::vector<Paper> papers_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CLIENTS_CLERK_H_
