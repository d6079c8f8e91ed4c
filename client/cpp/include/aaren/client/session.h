#ifndef AAREN_CLIENT_SESSION_H_
#define AAREN_CLIENT_SESSION_H_

// A Session is a live series (or a few channels of a series) whose memory the server keeps. Client::Open makes a
// Session.
//
// Tokens are numbered by seq from 0, and every Send names the seq of its first token: a source read again after a
// rewind cannot slip. Sends are pipelined: the reply comes to the Listener.
//
// Threading: every call is safe from any thread. Calls that wait (Send, WaitOpened, Flush, Close, Delete) answer
// FAILED_PRECONDITION in a callback instead of waiting for ever. Errors begin with the session's id.

#include <cstdint>
#include <memory>
#include <string>

#include "aaren/client/forecast.h"
#include "aaren/client/listener.h"
#include "aaren/client/session_options.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace aaren::client {

class Connection;
class SessionState;

// The outcome of an offer of tokens to a session.
enum class Admission {
  kTaken,
  kFull,  // nothing was taken: the window is full, or the session is not open yet
};

// Destroying a Session detaches it from the stream, without waiting; no callback runs afterwards. A Session may outlive
// its Client, ended.
class Session {
 public:
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& id() const;

  // Waits for the server's first answer. DEADLINE_EXCEEDED after `timeout`; otherwise why the session ended.
  absl::StatusOr<Opened> WaitOpened(absl::Duration timeout = absl::InfiniteDuration());

  // Takes tokens first_seq .. first_seq + n - 1, waiting while the window is full or the session is not open yet. A
  // batch may overshoot the window. INVALID_ARGUMENT, naming the token, if the batch is malformed; OUT_OF_RANGE if the
  // session wants another seq (next_seq()): nothing was taken, the session goes on. Else the session's final status.
  absl::Status Send(uint64_t first_seq, const TokenBatch& batch);

  // Like Send, but kFull instead of waiting. Allowed in callbacks.
  absl::StatusOr<Admission> TrySend(uint64_t first_seq, const TokenBatch& batch);

  // The seq that the next Send must begin with; 0 before the session is open.
  uint64_t next_seq() const;

  // All replies below this seq have been handed to the listener.
  uint64_t answered_seq() const;

  // With Delivery::kManual: replies below `seq` are safe. Tokens without a reply (silent tokens, and tokens between two
  // multiples of OutputOptions::every) count by themselves once answered. Allowed in callbacks.
  void Delivered(uint64_t seq);

  // Waits until everything sent was answered and handed over. OUT_OF_RANGE after a rewind: send again from next_seq().
  absl::Status Flush();

  // Flush, then detaches the session; the server keeps the session. OK once the server confirmed.
  absl::Status Close();

  // Close, and the server forgets the session and its saves.
  absl::Status Delete();

  // OK while the session is open or opening; afterwards the status of OnEnded, or CANCELLED for its OK.
  absl::Status status() const;

 private:
  friend class Client;
  Session(std::shared_ptr<Connection> connection, SessionOptions options, Listener& listener);

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<SessionState> state_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_SESSION_H_
