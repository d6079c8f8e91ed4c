#include "client/cli/stream/forecast_stream.h"

#include <algorithm>
#include <utility>

#include "aaren/client/clock.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/sources/time/timestamp.h"
#include "client/cli/stream/class_lines.h"
#include "client/cli/stream/events/event_lines.h"
#include "client/cli/stream/forecast_lines.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

// Rows sent with one call. The client library packs pending rows into messages.
constexpr size_t kBatchRows = 64;

// A person waits for this client, so attempts come sooner than from the clients of a fleet.
constexpr absl::Duration kMaxBackoff = absl::Seconds(1);

// Between two looks at the interrupt.
constexpr absl::Duration kPatience = absl::Milliseconds(100);

}  // namespace

struct ForecastStream::Batch {
  std::vector<double> values;
  std::vector<float> covariates, future;
  std::vector<int64_t> times_ns;
  std::vector<uint32_t> marks;
  size_t rows = 0;
  bool ended = false;
  absl::Status status;  // the source's, behind the rows
};

ForecastStream::ForecastStream(ForecastStreamOptions options, RowSource& source, OutputFile* output, LiveView* view,
                               Interrupt& interrupt)
    : options_(std::move(options)),
      source_(source),
      rows_{source.columns(), source.has_times(), source.has_marks()},
      output_(output),
      view_(view),
      interrupt_(interrupt) {
  client_ = std::make_unique<client::Client>(client::ClientOptions{.target = options_.target,
                                                                   .channel = options_.channel,
                                                                   .name = "aaren stream",
                                                                   .backoff = {.max = kMaxBackoff},
                                                                   .connect_timeout = options_.connect_timeout,
                                                                   .reconnect_timeout = options_.reconnect_timeout});
  if (options_.alert) delivery_.alerts.emplace(*options_.alert);
}

void ForecastStream::Tell(absl::string_view message) {
  if (view_ != nullptr) {
    view_->Say(message);
  } else {
    Say(message);
  }
}

// Without a client the session ends, and so does every wait of Run.
void ForecastStream::Force() {
  if (output_ != nullptr) output_->Abandon();  // the client's thread may wait for a reader for ever
  std::unique_ptr<client::Client> client;
  absl::MutexLock lock(&client_mutex_);
  client = std::move(client_);
}

absl::Status ForecastStream::Run() {
  interrupt_.SetForce([this] { Force(); });
  absl::StatusOr<client::Opened> opened = OpenAtRecord();
  absl::Status status = opened.ok() ? Position(*opened) : opened.status();
  if (status.ok()) status = Finish(SendRows(), /*refilled=*/opened->next_seq == 0);
  if (status.ok() && !interrupt_.stopped() && session_->next_seq() < delivered_before()) {
    Tell(absl::StrCat(options_.source, " ends before row ", session_->next_seq(),
                      ", and the record has forecasts below row ", delivered_before(), ": none is new"));
  }
  interrupt_.SetForce(nullptr);
  absl::Status delivery = failure();
  session_.reset();
  if (!delivery.ok()) return delivery;
  // Once, at the end: lines that were written survive a kill without a sync.
  return status.ok() && options_.durable ? output_->Sync() : status;
}

void ForecastStream::SetOutput(client::SessionOptions& session) const {
  session.output.every = options_.every;
  if (options_.classifies) return;
  session.output.surprise = true;
  session.output.quantiles = options_.levels;
  if (rows_.have_marks) {
    session.output.events = options_.events->output;
    session.event_scale = options_.events->scale;
    return;
  }
  for (uint32_t h = 1; h <= options_.horizon; ++h) session.output.horizons.push_back(h);
  session.output.relative = true;
  session.output.refinement = options_.refinement.Refinement();
}

absl::StatusOr<client::Opened> ForecastStream::Open() {
  client::SessionOptions session{.id = options_.session,
                                 .model = options_.model,
                                 .channels = static_cast<uint32_t>(rows_.columns.size()),
                                 .covariates = source_.covariates(),
                                 .profile = options_.refinement.profile};
  if (options_.durable) session.delivered_seq = delivered_before();
  session.delivery = options_.durable ? client::Delivery::kManual : client::Delivery::kAutomatic;
  session.open_timeout = options_.connect_timeout;
  SetOutput(session);
  session.durability = options_.durability.Durability();
  {
    absl::MutexLock lock(&client_mutex_);
    if (client_ == nullptr) return NotOpened();
    absl::StatusOr<std::unique_ptr<client::Session>> opened = client_->Open(std::move(session), *this);
    if (!opened.ok()) return FromServer("stream", opened.status());
    session_ = *std::move(opened);
  }
  return AwaitOpened();
}

absl::Status ForecastStream::NotOpened() const {
  return absl::CancelledError(absl::StrCat("stopped before session \"", options_.session, "\" was open"));
}

absl::StatusOr<client::Opened> ForecastStream::AwaitOpened() {
  while (!interrupt_.stopped() && session_->status().ok()) {
    absl::StatusOr<client::Opened> opened = session_->WaitOpened(kPatience);
    if (opened.ok()) return opened;
  }
  const absl::Status ended = session_->status();
  if (ended.ok()) return NotOpened();
  // The flags decide the request, so the error of a refusal names the flag.
  if (absl::IsInvalidArgument(ended) && absl::StrContains(ended.message(), "open.channels")) {
    const bool wide = absl::StrContains(ended.message(), "the limit is");
    return FromServer(
        absl::StrCat(
            "stream: ", options_.source, " has ", rows_.columns.size(), " columns",
            wide ? ", more than this server takes in a session (its --max_channels); --columns takes some" : ""),
        ended);
  }
  const bool horizon = absl::IsInvalidArgument(ended) && absl::StrContains(ended.message(), "horizon");
  return FromServer(horizon ? absl::StrCat("stream --horizon=", options_.horizon) : "stream", ended);
}

bool ForecastStream::StartsOver(uint64_t next_seq) const {
  return options_.owned && delivered_before() == 0 && next_seq > 0;
}

absl::StatusOr<client::Opened> ForecastStream::OpenAtRecord() {
  absl::StatusOr<client::Opened> opened = Open();
  // The record was removed: the old session would go on behind forecasts that no file has.
  if (!opened.ok() || !StartsOver(opened->next_seq)) return opened;
  const absl::Status deleted = session_->Delete();
  if (!deleted.ok()) return FromServer("stream", deleted);
  session_.reset();
  return Open();
}

absl::Status ForecastStream::Position(const client::Opened& opened) {
  const uint64_t seq = opened.next_seq;
  if (source_.live() && seq < delivered_before()) {
    return absl::DataLossError(absl::StrCat("the server lost session \"", options_.session, "\" after token ", seq,
                                            ", and what was sampled since cannot be sampled again; choose another "
                                            "session and output"));
  }
  const absl::StatusOr<std::string> where = source_.GoOn({.next_seq = seq,
                                                          .last_time_ns = opened.last_time_ns,
                                                          .step_ns = opened.step_ns,
                                                          .delivered_seq = delivered_before()});
  if (seq > 0) {
    Tell(absl::StrCat("session \"", options_.session, "\" goes on at row ", seq, where.ok() ? *where : ""));
  }
  return where.status();
}

// Rows of which the record has forecasts come again after a loss. They end with the row of the record's last lines.
absl::Status ForecastStream::CheckRecord(uint64_t seq, const Row& row) const {
  if (seq + 1 != delivered_before() || !rows_.have_times || !output_->last_time()) return absl::OkStatus();
  if (row.time == *output_->last_time()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "the server went back to a row before ", delivered_before(), ", but row ", seq, " of ", options_.source,
      " is of \"", row.time, "\", and the record ends with a row of \"", *output_->last_time(),
      "\": stream the record's own rows once more, or choose another session and output"));
}

void ForecastStream::ReadBatch(uint64_t seq, Batch& batch) {
  batch.values.clear();
  batch.covariates.clear();
  batch.future.clear();
  batch.times_ns.clear();
  batch.marks.clear();
  for (batch.rows = 0; batch.rows < kBatchRows; ++batch.rows) {
    // A live row is sent at once, and does not wait for a whole batch.
    if (batch.rows > 0 && !source_.ready()) return;
    PendingRow pending;
    const absl::StatusOr<bool> any = source_.Next(pending.row);
    batch.status = any.status();
    batch.ended = !any.ok() || !*any;
    if (batch.ended) return;
    batch.status = CheckRecord(seq + batch.rows, pending.row);
    batch.ended = !batch.status.ok();
    if (batch.ended) return;
    const auto append = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
    append(pending.row.values, batch.values);
    append(pending.row.covariates, batch.covariates);
    append(std::exchange(pending.row.future, {}), batch.future);
    if (rows_.have_marks) {
      const absl::StatusOr<uint32_t> mark = options_.events->names->Add(pending.row.mark);
      batch.status = mark.status();
      batch.ended = !mark.ok();
      if (batch.ended) return;
      batch.marks.push_back(*mark);
    }
    if (rows_.have_times) batch.times_ns.push_back(pending.row.time_ns);
    pending.sent = client::Clock::Real().Now();
    // Before the Send, since the forecast may come to the client's thread at once.
    pending_.Push(seq + batch.rows, std::move(pending));
  }
}

absl::Status ForecastStream::SendRows() {
  Batch batch;
  uint64_t seq = session_->next_seq();
  while (!interrupt_.stopped() && !batch.ended) {
    ReadBatch(seq, batch);
    if (batch.rows == 0) break;
    const absl::Status sent = session_->Send(seq, {.times_ns = batch.times_ns,
                                                   .marks = batch.marks,
                                                   .future_values = batch.future,
                                                   .doubles = batch.values,
                                                   .covariates = batch.covariates});
    if (absl::IsOutOfRange(sent)) {
      seq = session_->next_seq();
      batch.status = source_.Seek(seq);
      batch.ended = !batch.status.ok();
    } else if (!sent.ok()) {
      return FromServer("stream", sent);
    } else {
      seq += batch.rows;
      tokens_ += batch.rows;
    }
  }
  return absl::IsCancelled(batch.status) ? absl::OkStatus() : batch.status;
}

// Delivers the forecasts in flight after any end of the sending. A server that wants older rows gets the rows again.
// `refilled`: the server had no row of the session.
absl::Status ForecastStream::Finish(absl::Status sent, bool refilled) {
  // After a failed write nothing more is delivered, and the server would not take all rows in flight.
  if (failed_ && options_.durable) return sent;
  // Rows that are not the record's would stand before those to come.
  const bool foreign = refilled && absl::IsDataLoss(sent) && session_->next_seq() < delivered_before();
  for (;;) {
    const absl::Status closed = options_.delete_session || foreign ? session_->Delete() : session_->Close();
    if (!absl::IsOutOfRange(closed)) return sent.ok() ? FromServer("stream", closed) : sent;
    if (interrupt_.stopped()) {
      return absl::CancelledError("stopped before the rows that the server lost were sent again");
    }
    const absl::Status found = source_.Seek(session_->next_seq());
    const absl::Status again = found.ok() ? SendRows() : found;
    sent.Update(again);
    if (!again.ok()) return sent;
  }
}

void ForecastStream::OnOpened(client::Session&, const client::Opened& opened) {
  delivery_.told_waiting = false;
  const std::vector<float>& levels = options_.levels.empty() ? opened.model.quantiles : options_.levels;
  if (options_.classifies) {
    delivery_.lines =
        std::make_unique<ClassLines>(rows_.columns, opened.model.Classes(), rows_.have_times, options_.words);
  } else if (rows_.have_marks) {
    const EventStreamOptions& events = *options_.events;
    delivery_.lines = std::make_unique<EventLines>(
        EventLineOptions{.series = rows_.columns[0], .spans = events.spans, .words = events.words}, levels,
        options_.alert, *events.names);
  } else {
    delivery_.lines = std::make_unique<ForecastLines>(rows_.columns, levels, rows_.have_times, options_.alert);
  }
  if (view_ != nullptr) view_->SetQuantiles(levels);
}

void ForecastStream::OnForecast(client::Session&, const client::Forecast& forecast) {
  // The record must not have a gap.
  if (failed_) return;
  const std::optional<PendingRow> pending = pending_.Take(forecast.seq);
  if (!pending)
    return FailDelivery(absl::InternalError(absl::StrCat("a forecast for row ", forecast.seq, ", not sent")));
  const size_t alerts = delivery_.alerts ? delivery_.alerts->Add(forecast.surprise, forecast.learning) : 0;
  const bool wanted = alerts > 0 || !options_.alerts_only;
  if (output_ != nullptr && wanted) delivery_.lines->Append(pending->row, forecast, delivery_.buffer);
  if (view_ != nullptr) view_->Show(*pending, forecast);
  delivery_.buffered_end = forecast.seq + 1;
  ++forecasts_;
}

// Overdue tells of this machine's clock, and a record has to be the same for the same events. So the word goes to
// people.
void ForecastStream::OnOverdue(client::Session&, const client::Overdue& overdue) {
  Tell(absl::StrFormat("event %d is overdue since %s: %.3g %% of all gaps are as long", overdue.next_seq,
                       FormatTimestamp(overdue.time_ns), 100 * overdue.probability));
}

void ForecastStream::OnProgress(client::Session& session, uint64_t next_seq, uint64_t) {
  pending_.DropBelow(next_seq);
  if (delivery_.buffer.empty() || failed_) return;
  // All lines of a message are written together.
  const absl::Status written = output_->Write(delivery_.buffer);
  delivery_.buffer.clear();
  if (!written.ok()) return FailDelivery(written);
  // Told after the write: a kill between the two brings no forecast twice, since the record says where to go on.
  if (options_.durable) session.Delivered(delivery_.buffered_end);
}

void ForecastStream::OnLost(client::Session& session, const client::Loss& loss) {
  if (!loss.session) {
    if (StartsOver(loss.end_seq)) return;
    return Tell(absl::StrCat("the forecasts of rows ", loss.begin_seq, " .. ", loss.end_seq - 1,
                             " were lost: they were not delivered, and the server cannot make them again"));
  }
  const uint64_t end = std::max(session.next_seq(), delivered_before());
  const std::string again = end == 0 ? "it begins anew" : absl::StrCat("rows 0 .. ", end - 1, " are replayed");
  Tell(absl::StrCat("the server lost session \"", options_.session, "\"; ", again));
}

void ForecastStream::OnWaiting(client::Session&, const absl::Status& why, absl::Duration) {
  if (!std::exchange(delivery_.told_waiting, true)) Tell(absl::StrCat(why.message(), "; waiting for the server"));
}

void ForecastStream::OnDisconnected(client::Session&, const absl::Status& why) {
  Tell(absl::StrCat("no connection to ", options_.target, ": ", why.message(), "; trying again"));
}

void ForecastStream::OnEnded(client::Session&, const absl::Status& status) {
  if (!status.ok()) interrupt_.Stop();  // wakes a source that waits for its next row
}

void ForecastStream::FailDelivery(const absl::Status& status) {
  failed_ = true;
  {
    absl::MutexLock lock(&failure_mutex_);
    failure_ = status;
  }
  interrupt_.Stop();
}

absl::Status ForecastStream::failure() const {
  absl::MutexLock lock(&failure_mutex_);
  return failure_;
}

}  // namespace aaren::cli
