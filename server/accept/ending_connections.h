#ifndef AAREN_SERVER_ACCEPT_ENDING_CONNECTIONS_H_
#define AAREN_SERVER_ACCEPT_ENDING_CONNECTIONS_H_

// EndingConnections are held until they can be ended at little cost. When one ends, gRPC takes down its calls one after
// another, and a flood may have begun tens of thousands. So nothing more is let in, and those calls are
// refused, a little in each round. Once none has begun for a moment, few can be left.
//
// Threading: none of its own.

#include <cstdint>
#include <string>
#include <vector>

#include "server/accept/connection_table.h"

namespace aaren::accept {

class EndingConnections {
 public:
  // Holds it from now on. False if the kernel does not do that.
  bool Add(const std::string& peer, Connection& connection, int64_t now_ns);

  // Whose time has come. They are forgotten.
  std::vector<std::string> TakeDue(const ConnectionTable& table, int64_t now_ns);

  bool empty() const { return ending_.empty(); }

 private:
  struct Ending {
    std::string peer;
    uint64_t number = 0;  // of the connection
    uint64_t calls = 0;   // that had begun at the last look
    int64_t quiet_since_ns = 0;
    int64_t began_ns = 0;
  };

  std::vector<Ending> ending_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_ENDING_CONNECTIONS_H_
