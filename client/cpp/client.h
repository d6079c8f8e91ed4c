#ifndef AAREN_CLIENT_CPP_CLIENT_H_
#define AAREN_CLIENT_CPP_CLIENT_H_

// A Client streams tokens into sessions of an aaren-server and hands every forecast to a listener exactly once, in
// order.
//
// A *session* is one live series (or a few channels of one) whose memory is kept by the server. A Client carries any
// number of sessions over a few gRPC streams. Send does not wait for the reply, and what all sessions of a stream have
// pending leaves in one message. It blocks only where the session's window is full. When a stream breaks, the client
// connects again, with exponential backoff. It opens every session where its replies ended, and sends again what the
// server has not saved. So the application sees neither a gap nor a repetition. Where that needs tokens older than the
// client keeps (the server lost the session) the listener is asked to read its source again (OnRewind).
//
//   Client client(ClientOptions{.target = "localhost:7860"});
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
// Units: times are int64 nanoseconds since 1970-01-01 UTC; seq counts a session's tokens from 0. Threading: every call
// is safe from any thread. Callbacks of a stream's sessions run on that stream's thread, one at a time, with no lock
// held. So a slow listener delays the other sessions of its stream and, in the end, the server. Calls that wait (Send,
// WaitOpened, Flush, Close) answer FAILED_PRECONDITION in a callback instead of waiting for ever. Errors: absl::Status
// with the server's code and message; status.h reads its details.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aaren/v1/stream.pb.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/cpp/backoff.h"
#include "client/cpp/channel.h"
#include "client/cpp/clock.h"

namespace aaren::client {

class Connection;
class Session;
class SessionState;

struct ClientOptions {
  std::string target = {};      // "host:port" or any gRPC target
  ChannelOptions channel = {};  // credentials, metadata, keepalive …
  uint32_t streams = 1;         // 1 .. 256; each is a connection and a thread. A session's stream follows from its id
  std::string name = "aaren-cpp";  // for the server's logs, up to 128 bytes
  size_t write_bytes = 128 << 10;  // most bytes in one message; the server's own limit applies as well
  BackoffOptions backoff = {};     // between attempts to connect
  absl::Duration welcome_timeout = absl::Seconds(20);           // an attempt to connect is given up after so long
  absl::Duration connect_timeout = absl::Seconds(20);           // sessions end with UNAVAILABLE if no first connection
  absl::Duration reconnect_timeout = absl::InfiniteDuration();  // … or none again after a break, for so long
  Clock* clock = nullptr;                                       // not owned, outlives the client; null: the real one
  std::function<double()> random =
      {};  // uniform in [0, 1), for the backoff's jitter, called by any stream; null: a real one
};

struct SessionOptions {
  std::string id = {};     // 1-128 bytes of printable ASCII
  std::string model = {};  // "name", "name:version" or empty: the server's default
  v1::Open::Mode mode = v1::Open::CREATE_OR_RESUME;
  uint32_t channels = 0;  // 0: one, or what the session has
  // Replies below it have reached the application for good, in an earlier life of it. Absent: go on where the server
  // is, the replies in between being lost (at most once); from then on it is exactly once.
  std::optional<uint64_t> delivered_seq = {};
  std::optional<uint64_t> incarnation = {};            // the session must be this one
  v1::OutputOptions output = {};                       // horizons, quantiles, every, surprise, uncalibrated
  std::optional<v1::RegularTimes> regular_times = {};  // then batches carry no times
  uint64_t window = 1024;                              // Send waits while so many tokens are unanswered
  // Tokens kept, at most, for a server that falls back behind what was delivered. Older ones need OnRewind.
  uint64_t retain = 1 << 20;
  // False: a forecast counts as delivered when OnForecast returns. True: when the application says so (Delivered), for
  // one that writes it to disk first.
  bool manual_delivery = false;
  // A server that has no room for the session and says when to ask again is asked then, for so long in all. After that
  // the session ends with its words. Once open, the session is never given up for want of room.
  absl::Duration open_timeout = absl::Seconds(20);
};

// Consecutive tokens of a session. The spans are read before Send returns. Every batch of a session carries the same
// kinds of data.
struct TokenBatch {
  absl::Span<const float> values = {};         // [n, channels], row-major; NaN = missing, never infinite
  absl::Span<const int64_t> times_ns = {};     // [n] or empty; may repeat, never go back
  absl::Span<const uint32_t> marks = {};       // [n] or empty
  absl::Span<const float> future_values = {};  // [n, horizon, future covariates] or empty
  bool silent = false;                         // fold without forecasting (backfill)
};

// What a token's reply says. Spans are valid until OnForecast returns.
struct Forecast {
  uint64_t seq = 0;                       // the token it was made after
  absl::Span<const float> values = {};    // [channels, horizons, quantiles], in the units of the series
  absl::Span<const float> surprise = {};  // [channels] in [0, 1] or NaN; empty unless asked for
  std::optional<int64_t> time_ns = {};    // of the token; h steps ahead is time_ns + h * step_ns
  int64_t step_ns = 0;                    // 0 where no step is known yet
};

// What the server no longer has. The client has done, or will do, what can be done: see OnRewind.
struct Loss {
  // The session was forgotten (a server without a durable store came back, or somebody deleted it) and begins anew.
  bool session = false;
  // Else: replies to tokens begin_seq .. end_seq - 1 were not delivered and cannot be had again.
  uint64_t begin_seq = 0;
  uint64_t end_seq = 0;
};

// Hears about one session. OnEnded comes exactly once, last, unless the Session is destroyed before.
class Listener {
 public:
  virtual ~Listener() = default;

  // The server opened the session: the first time, and after every reconnect. opened.next_seq is what it wants next.
  virtual void OnOpened(Session&, const v1::Opened& /*opened*/) {}

  // Once per token that asks for a forecast, in order of seq, whatever breaks.
  virtual void OnForecast(Session&, const Forecast&) = 0;

  // All tokens below next_seq are answered; those below durable_seq will never be asked for again.
  virtual void OnProgress(Session&, uint64_t /*next_seq*/, uint64_t /*durable_seq*/) {}

  // The server needs tokens from `seq` again, older than any the client keeps. True: the application can read them
  // again, and now sends from `seq` (Send, Flush and Close answer OUT_OF_RANGE to who has not noticed yet). Forecasts
  // that it had before are not handed over again. False: the session ends with DATA_LOSS.
  virtual bool OnRewind(Session&, uint64_t /*seq*/) { return false; }

  // The server lost something. Comes before the OnOpened and the OnRewind that follow from it.
  virtual void OnLost(Session&, const Loss&) {}

  // The server cannot open the session now, for want of room or of its store; it is asked again after `retry`.
  virtual void OnWaiting(Session&, const absl::Status& /*why*/, absl::Duration /*retry*/) {}

  // The stream broke; the client is connecting again.
  virtual void OnDisconnected(Session&, const absl::Status& /*why*/) {}

  // OK after Close. ABORTED: another writer has taken the session. DATA_LOSS: tokens needed again are gone.
  // CANCELLED: the Client was destroyed. Else the server's refusal.
  virtual void OnEnded(Session&, const absl::Status& /*status*/) {}
};

// One open session. Destroying it detaches it, without waiting, from the stream; no callback runs afterwards. It may
// outlive its Client, ended.
class Session {
 public:
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& id() const;

  // Waits for the server's first answer. DEADLINE_EXCEEDED after `timeout`; otherwise why the session ended.
  absl::StatusOr<v1::Opened> WaitOpened(absl::Duration timeout = absl::InfiniteDuration());

  // Takes tokens first_seq .. first_seq + n - 1, waiting while the window is full or the session is not open yet. A
  // batch may overshoot the window. INVALID_ARGUMENT, naming the token, if the batch is malformed; OUT_OF_RANGE if the
  // session wants another seq (next_seq()): nothing was taken, the session goes on. Else why it ended.
  absl::Status Send(uint64_t first_seq, const TokenBatch& batch);

  // As Send, but false instead of waiting. Allowed in callbacks.
  absl::StatusOr<bool> TrySend(uint64_t first_seq, const TokenBatch& batch);

  // The seq that the next Send must begin with; 0 before the session is open.
  uint64_t next_seq() const;

  // All replies below it have been handed to the listener.
  uint64_t answered_seq() const;

  // With manual_delivery: replies below `seq` are safe. Counts on by itself over tokens that get no reply (silent ones,
  // those between two of OutputOptions.every) once they are answered. Allowed in callbacks.
  void Delivered(uint64_t seq);

  // Waits until everything sent was answered and handed over. OUT_OF_RANGE after a rewind: send again from next_seq().
  absl::Status Flush();

  // Flush, then detaches the session, or deletes it with its saves. OK once the server confirmed.
  absl::Status Close(bool delete_session = false);

  // OK while the session is open or opening; afterwards what OnEnded said, or CANCELLED for its OK.
  absl::Status status() const;

 private:
  friend class Client;
  friend class Connection;
  Session(std::shared_ptr<Connection> connection, SessionOptions options, Listener& listener);

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<SessionState> state_;
};

class Client {
 public:
  // Connects when the first session of a stream is opened.
  explicit Client(ClientOptions options);

  // Ends what is still open with CANCELLED, without telling the server more: sessions live on there.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Returns at once; the server's answer comes to the listener and WaitOpened. INVALID_ARGUMENT if the options, or
  // those of the client, cannot be right, ALREADY_EXISTS if this client has that id open. The listener outlives the
  // session.
  absl::StatusOr<std::unique_ptr<Session>> Open(SessionOptions options, Listener& listener);

 private:
  std::vector<std::shared_ptr<Connection>> connections_;
  ClientOptions options_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_CLIENT_H_
