#ifndef AAREN_CLIENT_CLIENT_H_
#define AAREN_CLIENT_CLIENT_H_

// A Client streams tokens into sessions of an aaren-server and hands every forecast to a listener exactly once, in
// order.
//
// A client carries any number of sessions over a few gRPC streams. Send does not wait for the reply, and all pending
// tokens of a stream's sessions leave in a single message. Send blocks only while the session's window is full. When a
// stream breaks, the client connects again, with exponential backoff. It opens every session at the end of its replies,
// and sends again every token that the server has not saved. The application sees neither a gap nor a repetition. If
// the server needs tokens older than the client keeps (the server lost the session), the listener is asked to read its
// source again.
//
//   Client client({.target = "localhost:7860"});
//   auto session = client.Open({.id = "cpu-load"}, listener);           // StatusOr<unique_ptr<Session>>
//   auto opened = (*session)->WaitOpened();                             // where to begin: opened->next_seq
//   for (uint64_t seq = opened->next_seq; seq < source.size();) {
//     absl::Status sent = (*session)->Send(seq, {.values = source.Row(seq)});
//     if (absl::IsOutOfRange(sent)) seq = (*session)->next_seq();       // after an OnRewind that said yes
//     else if (sent.ok()) ++seq;
//     else return sent;
//   }
//   return (*session)->Close();                                         // waits for the last forecast
//
// Threading: safe from any thread, but for construction and destruction. Errors: absl::Status with the server's code
// and message; status.h reads its details.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aaren/client/channel.h"
#include "aaren/client/clock.h"
#include "aaren/client/session.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace aaren::client {

// The wait before the next attempt to connect: initial, then `multiplier` times longer each time up to `max`.
struct BackoffOptions {
  absl::Duration initial = absl::Milliseconds(50);
  absl::Duration max = absl::Seconds(5);
  double multiplier = 1.6;
  double jitter = 0.25;  // each wait is the nominal wait times a uniform number in [1 - jitter, 1 + jitter)
};

struct ClientOptions {
  std::string target = {};      // "host:port" or any gRPC target
  ChannelOptions channel = {};  // credentials, metadata, keepalive …
  uint32_t streams = 1;         // 1 .. 256; each is a connection and a thread. A session's stream follows from its id
  std::string name = "aaren-cpp";  // for the server's logs, up to 128 bytes of printable ASCII
  size_t write_bytes = 128 << 10;  // most bytes in a message, 1 KB at least; the server's own limit applies as well
  BackoffOptions backoff = {};
  absl::Duration welcome_timeout = absl::Seconds(20);           // the longest attempt to connect
  absl::Duration connect_timeout = absl::Seconds(20);           // sessions end with UNAVAILABLE if no first connection
  absl::Duration reconnect_timeout = absl::InfiniteDuration();  // … or no connection again after a break, for this long
  Clock* clock = nullptr;                                       // not owned, outlives the client; null: the machine's
  std::function<double()> random = {};  // uniform in [0, 1), for the jitter; any stream calls it; null: its own
};

class Client {
 public:
  // Connects when the first session of a stream is opened.
  explicit Client(ClientOptions options);

  // Ends open sessions with CANCELLED, without telling the server: sessions live on there. Waits for a callback in
  // progress. REQUIRES: not called in a callback.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Returns at once; the server's answer comes to the listener and WaitOpened. INVALID_ARGUMENT for invalid
  // options of the session or the client, ALREADY_EXISTS if this client has the id open. The listener outlives the
  // session.
  absl::StatusOr<std::unique_ptr<Session>> Open(SessionOptions options, Listener& listener);

 private:
  std::vector<std::shared_ptr<Connection>> connections_;
  ClientOptions options_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CLIENT_H_
