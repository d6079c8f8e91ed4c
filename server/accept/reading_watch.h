#ifndef AAREN_SERVER_ACCEPT_READING_WATCH_H_
#define AAREN_SERVER_ACCEPT_READING_WATCH_H_

// A ReadingWatch finds connections that keep threads of gRPC's, and holds them.
//
// gRPC reads a connection for as long as more of it waits, and everything else on the shard waits meanwhile. Over TLS
// nobody else sees what it reads. But while a thread does little but read, one that was read at three looks in a row,
// with more waiting each time, is why. It is held: for a while the kernel drops what comes of it, as a network might
// (Connection::Hold). Its client sends that again. Nothing is lost, so suspicion may come early.
//
// Which thread reads says nothing of whose connection it is: gRPC's threads share all sockets.
//
// What becomes of a held connection tells a flood from a client that has much to say (holds.h). Each hold is longer
// than the one before, so whoever is neither costs others less and less.
//
// Threading: none of its own.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/accept/connection_table.h"

namespace aaren::accept {

class ReadingWatch {
 public:
  // Looks at all connections. `kept_ns`: for how long gRPC has kept threads since the start. Holds connections and lets
  // them go. The peers of those that are floods: they should be ended. Does nothing within a millisecond and a half of
  // the look before.
  std::vector<std::string> Look(ConnectionTable& table, int64_t kept_ns, int64_t now_ns);

  // The peers of connections of this host that are held; they are not let go any more.
  std::vector<std::string> TakeHeldOf(const std::string& host, const ConnectionTable& table);

  // Whether a thread did little but read at that time or later.
  bool ReadSince(int64_t ns) const { return read_ns_ >= ns; }

  uint64_t holds() const { return holds_; }  // that began

  // Whether a connection is held, or may soon have to be.
  bool watching() const { return reads_ || !held_.empty(); }

 private:
  // A connection that may keep a thread.
  struct Reader {
    std::string peer;
    uint64_t number = 0;  // of the connection
    uint64_t read = 0;    // bytes, at the last look
    uint64_t bytes = 0;   // read since the first look
    int looks = 1;        // by which more had been read
    int idle = 0;         // looks since then
  };
  // Connections of a host that were held before anything of them was handled.
  struct Strangers {
    int held = 0;
    int64_t last_ns = 0;
  };

  bool HasTooManyStrangers(const Connection& connection, int64_t now_ns);
  static std::vector<Reader> ReadersOf(const ConnectionTable& table);
  void LookAtReaders(ConnectionTable& table, int64_t now_ns, std::vector<std::string>& floods);
  void LookAtHeld(ConnectionTable& table, int64_t now_ns, std::vector<std::string>& floods);

  uint64_t holds_ = 0;
  int64_t last_ns_ = 0, kept_ns_ = 0;  // at the last look
  bool reads_ = false;                 // a thread did little else until then
  int64_t read_ns_ = 0;                // the last look at which that was so
  std::vector<Reader> readers_;
  absl::flat_hash_map<std::string, Strangers> strangers_;  // by host
  std::vector<std::string> held_;                          // peers
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_READING_WATCH_H_
