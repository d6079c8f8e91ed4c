#ifndef AAREN_CLIENT_CLI_STREAM_FORECAST_STREAM_H_
#define AAREN_CLIENT_CLI_STREAM_FORECAST_STREAM_H_

// A ForecastStream sends the rows of a source into a session, a channel per series, or the events of a source. It
// delivers every forecast once and in order: to an output, to a live view, or both. Reading and sending run on the
// caller's thread, delivery on the client's; many tokens are in flight.
//
// With a durable output (a file) a forecast counts as delivered only when its lines are written. A process that is
// killed anywhere goes on from the last line. Breaks on the way are told in words, and mended where possible: see
// aaren/client/client.h.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/client.h"
#include "aaren/client/event_marks.h"
#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/flags/durability_flag.h"
#include "client/cli/flags/refinement_flags.h"
#include "client/cli/sources/row_source.h"
#include "client/cli/stream/alert.h"
#include "client/cli/stream/live_view.h"
#include "client/cli/stream/pending_rows.h"
#include "client/cli/stream/row_lines.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/output_file.h"

namespace aaren::cli {

// The options of a stream whose source has events.
struct EventStreamOptions {
  client::EventOutput output = {};
  client::EventScale scale = {};
  std::vector<std::string> spans = {};  // the spans of `output` as the user wrote them
  bool words = false;                   // lines for people instead of JSON
  client::MarkNames* names = nullptr;   // not owned, not null
};

struct ForecastStreamOptions {
  std::string target = {};
  client::ChannelOptions channel = {};
  std::string source = {};                     // the name of the rows' source in errors
  std::string session = {};                    // the session's id
  std::string model = {};                      // empty: the server's default
  uint32_t horizon = 24;                       // steps ahead, all from 1 on
  uint32_t every = 1;                          // a forecast at every so many rows
  std::vector<float> levels = {};              // quantile levels, ascending; empty: the model's
  const EventStreamOptions* events = nullptr;  // not owned; REQUIRES: not null if the source has events
  bool classifies = false;                     // the model is a classifier: a line has probabilities of its classes
  bool words = false;                          // a classifier's lines are for people instead of JSON
  RefinementFlags refinement = {};
  DurabilityFlag durability = {};
  bool durable = false;  // the output remembers the delivered forecasts
  // Judges every value that has a surprise. With alerts_only the output gets only rows with an alert; a durable output
  // needs all rows.
  std::optional<AlertRule> alert = {};
  bool alerts_only = false;
  // The session belongs to the stream: without a record (the output was removed) the session begins anew.
  bool owned = false;
  bool delete_session = false;  // at the end
  absl::Duration connect_timeout = absl::Seconds(30);
  absl::Duration reconnect_timeout = absl::Minutes(5);
};

class ForecastStream : private client::Listener {
 public:
  // All arguments outlive the ForecastStream; `output` and `view` may be null.
  ForecastStream(ForecastStreamOptions options, RowSource& source, OutputFile* output, LiveView* view,
                 Interrupt& interrupt);

  // Streams until the source ends or the interrupt stops the stream, delivers the forecasts in flight and closes the
  // session. Then OK; else the error of the source, the output or the server. CANCELLED if a forced end left replies
  // out.
  absl::Status Run();

  uint64_t tokens() const { return tokens_; }        // sent
  uint64_t forecasts() const { return forecasts_; }  // delivered, one per token

  // True if the reader of the output has left: the reason of a CANCELLED. After Run.
  bool reader_left() const { return absl::IsCancelled(failure()); }

  // The alerts among all delivered forecasts, if the options have a rule. After Run.
  const std::optional<AlertCount>& alerts() const { return delivery_.alerts; }

 private:
  struct Batch;
  // The source's rows, for any thread.
  struct Rows {
    std::vector<std::string> columns;
    bool have_times, have_marks;
  };
  struct Delivery {
    std::unique_ptr<RowLines> lines;
    std::optional<AlertCount> alerts;  // among the delivered forecasts
    std::string buffer;                // lines not written yet
    uint64_t buffered_end = 0;         // one past the last forecast in the buffer
    bool told_waiting = false;
  };

  absl::StatusOr<client::Opened> Open() ABSL_LOCKS_EXCLUDED(client_mutex_);
  absl::StatusOr<client::Opened> AwaitOpened();
  absl::Status NotOpened() const;
  absl::StatusOr<client::Opened> OpenAtRecord();
  absl::Status Position(const client::Opened& opened);
  void SetOutput(client::SessionOptions& session) const;
  absl::Status SendRows();
  void ReadBatch(uint64_t seq, Batch& batch);
  absl::Status CheckRecord(uint64_t seq, const Row& row) const;
  absl::Status Finish(absl::Status sent, bool refilled);
  void Force() ABSL_LOCKS_EXCLUDED(client_mutex_);
  bool StartsOver(uint64_t next_seq) const;
  uint64_t delivered_before() const { return options_.durable ? output_->delivered_seq() : 0; }

  void OnOpened(client::Session&, const client::Opened& opened) override;
  void OnForecast(client::Session&, const client::Forecast& forecast) override;
  void OnOverdue(client::Session&, const client::Overdue& overdue) override;
  void OnProgress(client::Session&, uint64_t next_seq, uint64_t durable_seq) override;
  bool OnRewind(client::Session&, uint64_t seq) override { return source_.CanSeek(seq); }
  void OnLost(client::Session&, const client::Loss& loss) override;
  void OnWaiting(client::Session&, const absl::Status& why, absl::Duration retry) override;
  void OnDisconnected(client::Session&, const absl::Status& why) override;
  void OnEnded(client::Session&, const absl::Status& status) override;

  void Tell(absl::string_view message);
  void FailDelivery(const absl::Status& status) ABSL_LOCKS_EXCLUDED(failure_mutex_);
  absl::Status failure() const ABSL_LOCKS_EXCLUDED(failure_mutex_);

  const ForecastStreamOptions options_;
  RowSource& source_;
  const Rows rows_;
  OutputFile* const output_;
  LiveView* const view_;
  Interrupt& interrupt_;
  PendingRows pending_;
  std::atomic<uint64_t> tokens_ = 0;
  std::atomic<uint64_t> forecasts_ = 0;

  Delivery delivery_;  // the client's thread only
  std::atomic<bool> failed_ = false;

  mutable absl::Mutex failure_mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(failure_mutex_);  // the error of the delivery

  absl::Mutex client_mutex_;
  std::unique_ptr<client::Client> client_ ABSL_GUARDED_BY(client_mutex_);
  std::unique_ptr<client::Session> session_;  // the caller's thread only
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_FORECAST_STREAM_H_
