#ifndef AAREN_CLIENT_CLI_EVALUATE_SERIES_STREAM_H_
#define AAREN_CLIENT_CLI_EVALUATE_SERIES_STREAM_H_

// A SeriesStream sends the tokens of a series through a session of its own, which begins knowing nothing and is deleted
// at the end. Evaluations derive from SeriesStream and judge each forecast when it comes. Threading: Stream blocks; the
// client's own thread calls the Listener's functions, and does so only while Stream runs.

#include <cstddef>
#include <cstdint>
#include <string>

#include "aaren/client/client.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

// The server whose forecasts are judged.
struct EvaluatedServer {
  std::string target = {};
  client::ChannelOptions channel = {};
  std::string model = {};  // name, name:version or name@label; empty: the server's default
  absl::Duration connect_timeout = absl::Seconds(30);

  // The options of a client for the evaluation's sessions.
  client::ClientOptions ClientOptions(uint32_t streams = 1) const;
};

// The beginning of the ids of an evaluation's sessions. Random, so that two evaluations at a server have sessions of
// their own.
std::string NewSessionPrefix();

class SeriesStream : protected client::Listener {
 public:
  // Returns once all tokens are answered and the session is deleted. CANCELLED if interrupted; else the error of
  // CheckModel or of the session.
  absl::Status Stream(client::Client& client, client::SessionOptions session, const Interrupt& interrupt);

 protected:
  virtual size_t tokens() const = 0;

  // Sends tokens from `begin` on, at least one of them. The session's status.
  virtual absl::Status Send(client::Session& session, size_t begin) = 0;

  // Called before the first token. An error ends the stream.
  virtual absl::Status CheckModel(const client::ModelInfo& /*model*/) { return absl::OkStatus(); }

 private:
  absl::Status SendAll(client::Session& session, const Interrupt& interrupt);
  bool OnRewind(client::Session&, uint64_t) override { return true; }
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_SERIES_STREAM_H_
