#ifndef AAREN_CLIENT_LOAD_LOAD_STREAM_H_
#define AAREN_CLIENT_LOAD_LOAD_STREAM_H_

// A LoadStream drives a stream of a load run: it opens its sessions, keeps tokens flowing for a while, and deletes the
// sessions. All messages ready at the end of a write leave together. A reply costs a look at its handle and next_seq,
// and a token neither an allocation nor a message object.
//
// Threading: a thread of its own. The methods are called once each, in the order below.

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/load/duration_histogram.h"
#include "client/load/load.h"
#include "client/load/load_call.h"
#include "client/load/wire.h"

namespace aaren::client {

// The counts of a run's streams; summed at its end.
struct LoadCounts {
  uint64_t sent = 0;      // tokens, each once
  uint64_t resent = 0;    // tokens sent again
  uint64_t received = 0;  // tokens answered
  uint64_t errors = 0;
  std::string first_error;
  DurationHistogram latency;  // tokens' latencies
  int64_t last_reply = 0;     // on the clock of NowNanos

  void Merge(const LoadCounts& other);
};

// Monotonic.
int64_t NowNanos();

class LoadStream : private ReplyHandler {
 public:
  // `ids`: the session ids; `stream`: the number among `options.streams`. `options` outlives the stream.
  LoadStream(const LoadOptions& options, uint32_t stream, std::vector<std::string> ids);

  // Opens the stream and every session. UNAVAILABLE, or the server's word, if the stream broke or a session was neither
  // opened nor refused in time; the error is counted.
  absl::Status Open();

  // Sends tokens from time `start` to `end`, then waits for the due replies. `stop` may be null.
  void Stream(int64_t start, int64_t end, const std::atomic<bool>* stop);

  // Deletes the sessions and ends the stream.
  void Delete();

  const LoadCounts& counts() const { return counts_; }

 private:
  enum class Phase { kHello, kOpening, kStreaming, kDraining, kClosing };
  struct Session {
    std::string id;
    uint64_t base_seq = 0;    // the seq of its first token
    uint64_t due = 0;         // messages that may be sent; in a closed loop all
    uint64_t sent = 0;        // messages
    uint64_t timed = 0;       // messages sent at least once
    uint64_t answered = 0;    // messages
    uint64_t resume_seq = 0;  // the first seq of its partly folded message; tokens below are folded
    bool open = false;        // open at the server
    bool failed = false;      // takes no more tokens
    bool queued = false;
  };

  absl::Status OpenSessions();
  void OnProgress(uint32_t handle, uint64_t next_seq) override;
  void OnItem(const v1::ServerItem& item) override;
  void OnWelcome(const v1::Welcome& welcome);
  void OnOpened(const v1::Opened& opened);
  void OnFailed(const v1::Failed& failed);
  void SendAgain(uint32_t handle, uint64_t expected_seq);
  uint64_t SeqOf(const Session& session, uint64_t message) const;
  void EndSession(Session& session, const std::string& error);
  void Count(const std::string& error);

  template <typename Done>
  void Loop(int64_t deadline, Done done);
  void Await(int64_t deadline);
  void OnEvent(LoadCall::Event event);
  void Write();
  void FillOpens();
  void FillTokens();
  void FillCloses();
  void MakeDue();
  int64_t DueTime(uint64_t message) const;
  int64_t NextDue() const;
  void Queue(uint32_t handle);
  void AddMessage(uint32_t handle);
  size_t TimeIndex(uint32_t handle, uint64_t message) const;
  bool Sendable(const Session& session) const;
  bool open_loop() const { return options_.rate > 0; }

  const LoadOptions& options_;
  const uint32_t stream_;
  std::vector<Session> sessions_;  // by handle
  std::vector<int64_t> times_;     // [sessions, window]: when a message was sent, or due
  std::vector<float> signal_;      // a long period of the synthetic series, and a message beyond
  std::deque<uint32_t> ready_;     // handles with something to send
  uint64_t due_ = 0;               // due messages of the stream
  double interval_ = 0;            // nanoseconds between two due messages
  uint32_t window_;
  size_t write_bytes_;
  uint32_t next_ = 0;       // the next handle to open or close
  uint32_t unsettled_ = 0;  // sessions whose Opened or Closed is missing
  uint64_t in_flight_ = 0;  // messages
  int64_t start_ = 0;
  int64_t now_ = 0;  // the time of the last event or write
  Phase phase_ = Phase::kHello;
  bool welcomed_ = false;
  absl::Status refused_;  // the error of an impossible Welcome

  LoadCall call_;
  WireMessage message_;
  LoadCounts counts_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LOAD_LOAD_STREAM_H_
