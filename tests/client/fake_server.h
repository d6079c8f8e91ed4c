#ifndef AAREN_TESTS_CLIENT_FAKE_SERVER_H_
#define AAREN_TESTS_CLIENT_FAKE_SERVER_H_

// A FakeServer speaks the streaming protocol over real gRPC on loopback, keeps its sessions in memory, and misbehaves
// on demand. It cuts streams before or after folding a message, loses sessions, goes away and comes back on the same
// port, refuses, falls silent. Its model is a running sum: a forecast tells exactly which tokens were folded. The
// forecast of token s is [sum of values 0 .. s, s] for horizons 1 and 2 and the single quantile 0.5. At a level that an
// Open asks for, level - 0.5 is added. The surprise, if enabled and asked for, is the token's value cut to 0 .. 1, or
// NaN if token s - 1 had no forecast.
//
// Covariates count as values of their token, too, and what is known in advance is added to the second number.
//
// Threading: safe from any thread.

#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace aaren {

class FakeModels;
class FakeSessions;

class FakeServer : public v1::Streaming::Service {
 public:
  struct Options {
    uint64_t save_every = 8;  // a save at every multiple; 0: only the empty row
    v1::Limits limits = DefaultLimits();
    bool surprises = false;
    // The model is one of events, and sums the numbers of marks. All quantiles of the time are the sum; the likeliest
    // marks are the token's and new marks; each span has its own length as its probability. Each reply is followed by
    // two Overdue, if asked for.
    bool events = false;
    std::shared_ptr<grpc::ServerCredentials> credentials = {};  // null: plain text
    bool numbers_opens = true;                                  // false: like a server without Open.number
    bool compresses = false;                                    // compresses the messages on streams
    std::function<void(v1::ServerMessage&)> lie = {};           // changes messages on streams; null: nothing
  };
  static v1::Limits DefaultLimits();

  FakeServer() : FakeServer(Options()) {}
  explicit FakeServer(const Options& options);
  ~FakeServer() override;

  std::string target() const;

  // Cuts the stream of the n-th message with tokens from now on; n counts from 1, over all streams. For an even n the
  // cut is before the message is handled, else after it was folded, without its replies.
  void CutAt(const std::set<int>& messages) ABSL_LOCKS_EXCLUDED(mutex_);

  void LoseNextClosed();  // does the next Close, and cuts the stream instead of an answer
  // Fails the next `items` items of tokens. A reason goes into the ErrorInfo.
  void FailNextTokens(int code, const std::string& message, const std::string& reason = "", int items = 1);
  // Fails the next `opens` Opens; retry_ms 0: without RetryInfo.
  void FailNextOpen(int code, const std::string& message, int retry_ms, int opens = 1);
  void AnswerOldOpenFirst();  // puts an Opened and a Failed of an earlier Open of the handle before the next Opened
  // Ends the next `streams` streams when tokens come. With `failed`, a Failed without a handle comes first.
  void EndStreams(int streams, int code, const google::rpc::Status& failed = {});
  void Steal(const std::string& id);                       // another writer opens the session
  void Forget();                                           // the memory is gone
  void Replace(const std::string& id, uint64_t next_seq);  // Imported by somebody
  void Drain();                                            // says Draining on every stream, with the next reply
  void Pause(bool paused);                                 // stops answering tokens and deletions
  void RefuseStreams(int code);                            // 0: no more
  void Stop();                                             // breaks every connection
  void Start();                                            // again, on the same port

  // The server's counts.
  int streams() const;        // rpcs begun
  int messages() const;       // ClientMessages
  int duplicates() const;     // tokens below next_seq
  uint64_t folded() const;    // tokens
  int sessions() const;       // existing sessions
  int violations() const;     // items over a limit
  int largest_start() const;  // tokens in a stream's first message with tokens
  int largest_opens() const;  // Opens in one message
  int closed() const;         // sessions detached by Close
  // The writer and the number of each Open.
  std::vector<std::pair<uint64_t, uint64_t>> attempts() const;
  std::string header(const std::string& name) const;  // from the last call; empty: missing
  bool exists(const std::string& id) const;
  uint64_t next_seq(const std::string& id) const;
  uint64_t delivered(const std::string& id) const;
  v1::Covariates covariates(const std::string& id) const;  // the last Open's

  grpc::Status Stream(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* stream) override;

 private:
  struct Session {
    uint64_t epoch = 0;
    uint64_t incarnation = 0;
    uint64_t next_seq = 0;
    uint64_t delivered = 0;
    double sum = 0;
    std::map<uint64_t, double> saves = {{0, 0.0}};
    std::set<uint64_t> forecast_seqs;  // tokens with a forecast
    v1::OutputOptions output;
    v1::Covariates covariates;
    int64_t last_time_ns = 0;
    int64_t step_ns = 0;
    uint64_t durable() const { return saves.begin()->first; }
  };
  struct Attached {
    std::string id;
    uint64_t epoch;
    bool skipping = false;  // after a Failed, until the expected seq
  };
  using Handles = std::map<uint32_t, Attached>;
  friend class FakeSessions;

  void Open(const v1::Open& open, Handles& handles, v1::ServerMessage& reply) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Fold(const v1::Tokens& tokens, Handles& handles, v1::ServerMessage& reply) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Close(const v1::Close& close, Handles& handles, v1::ServerMessage& reply) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Answer(const v1::Tokens& tokens, Session& session, v1::ServerMessage& reply)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void AddEvent(uint32_t mark, const v1::EventOutput& output, v1::Forecasts& forecasts);
  static void AddOverdue(uint32_t handle, const Session& session, v1::ServerMessage& reply);
  static void AddTime(int64_t time_ns, Session& session, v1::Forecasts& forecasts);
  void AnswerOldOpen(const v1::Open& open, v1::ServerMessage& reply);
  bool Ends(const v1::ClientMessage& message, v1::ServerMessage& reply) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Settle(Session& session, uint64_t delivered) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteHeaders(const grpc::ServerContext& context) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteStart(const v1::ClientMessage& message, bool& started);
  void NoteOpens(const v1::ClientMessage& message);
  bool Cuts(const v1::ClientMessage& message, bool before) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // False: cuts the stream, or ends it with `end` if not OK.
  bool Handle(const v1::ClientMessage& message, Handles& handles, v1::ServerMessage& reply, grpc::Status& end);

  const Options options_;
  int port_ = 0;
  std::unique_ptr<FakeSessions> sessions_service_;  // unary calls
  std::unique_ptr<FakeModels> models_service_;
  std::unique_ptr<grpc::Server> server_;

  mutable absl::Mutex mutex_;
  std::map<std::string, Session> sessions_ ABSL_GUARDED_BY(mutex_);
  uint64_t epoch_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<int> cuts_ ABSL_GUARDED_BY(mutex_);
  int token_messages_ ABSL_GUARDED_BY(mutex_) = 0;
  bool lose_closed_ ABSL_GUARDED_BY(mutex_) = false;
  google::rpc::Status fail_tokens_ ABSL_GUARDED_BY(mutex_);
  int tokens_to_fail_ ABSL_GUARDED_BY(mutex_) = 0;
  google::rpc::Status fail_open_ ABSL_GUARDED_BY(mutex_);
  int opens_to_fail_ ABSL_GUARDED_BY(mutex_) = 0;
  bool old_open_ ABSL_GUARDED_BY(mutex_) = false;
  int streams_to_end_ ABSL_GUARDED_BY(mutex_) = 0;
  int end_code_ ABSL_GUARDED_BY(mutex_) = 0;
  google::rpc::Status end_failed_ ABSL_GUARDED_BY(mutex_);
  bool drain_ ABSL_GUARDED_BY(mutex_) = false;
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  int refusal_ ABSL_GUARDED_BY(mutex_) = 0;
  int streams_ ABSL_GUARDED_BY(mutex_) = 0;
  int messages_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t folded_ ABSL_GUARDED_BY(mutex_) = 0;
  int duplicates_ ABSL_GUARDED_BY(mutex_) = 0;
  int violations_ ABSL_GUARDED_BY(mutex_) = 0;
  int largest_start_ ABSL_GUARDED_BY(mutex_) = 0;
  int largest_opens_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::string> headers_ ABSL_GUARDED_BY(mutex_);
  int closed_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<uint64_t, uint64_t>> attempts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren

#endif  // AAREN_TESTS_CLIENT_FAKE_SERVER_H_
