#include "tests/client/fake_server.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"

namespace aaren {
namespace {

google::rpc::Status Error(int code, const std::string& message) {
  google::rpc::Status status;
  status.set_code(code);
  status.set_message(message);
  return status;
}

void Fail(uint32_t handle, const google::rpc::Status& status, uint64_t expected_seq, v1::ServerMessage& reply) {
  v1::Failed& failed = *reply.add_items()->mutable_failed();
  failed.set_handle(handle);
  *failed.mutable_status() = status;
  failed.set_expected_seq(expected_seq);
}

}  // namespace

// Delete, which is what clients of these tests use of the service.
class FakeServer::SessionsService : public v1::Sessions::Service {
 public:
  explicit SessionsService(FakeServer& server) : server_(server) {}

  grpc::Status Delete(grpc::ServerContext* context, const v1::DeleteSessionRequest* request,
                      v1::DeleteSessionResponse*) override {
    absl::MutexLock lock(&server_.mutex_);
    server_.NoteHeaders(*context);
    const auto awake = [this]()
                           ABSL_SHARED_LOCKS_REQUIRED(server_.mutex_) { return !server_.paused_ || server_.stopping_; };
    server_.mutex_.Await(absl::Condition(&awake));
    return server_.sessions_.erase(request->session_id()) > 0
               ? grpc::Status::OK
               : grpc::Status(grpc::StatusCode::NOT_FOUND, request->session_id());
  }

 private:
  FakeServer& server_;
};

v1::Limits FakeServer::DefaultLimits() {
  v1::Limits limits;
  limits.set_message_bytes(1 << 20);
  limits.set_tokens_per_item(64);
  limits.set_in_flight_tokens(1024);
  limits.set_channels(8);
  limits.set_sessions_per_stream(100000);
  return limits;
}

FakeServer::FakeServer(const Options& options)
    : options_(options), sessions_service_(std::make_unique<SessionsService>(*this)) {
  Start();
}

FakeServer::~FakeServer() { Stop(); }

std::string FakeServer::target() const { return absl::StrCat("127.0.0.1:", port_); }

void FakeServer::Start() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = false;
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", port_),
                           options_.credentials ? options_.credentials : grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(this);
  builder.RegisterService(sessions_service_.get());
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
}

void FakeServer::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (server_) server_->Shutdown(std::chrono::system_clock::now());
  server_.reset();
}

void FakeServer::CutAt(const std::set<int>& messages) {
  absl::MutexLock lock(&mutex_);
  token_messages_ = 0;
  cuts_ = messages;
}

void FakeServer::LoseNextClosed() {
  absl::MutexLock lock(&mutex_);
  lose_closed_ = true;
}

void FakeServer::FailNextTokens(int code, const std::string& message) {
  absl::MutexLock lock(&mutex_);
  fail_tokens_ = Error(code, message);
}

void FakeServer::FailNextOpen(int code, const std::string& message, int retry_ms, int opens) {
  absl::MutexLock lock(&mutex_);
  fail_open_ = Error(code, message);
  opens_to_fail_ = opens;
  if (retry_ms == 0) return;
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(retry_ms * 1000000);
  fail_open_.add_details()->PackFrom(retry);
}

void FakeServer::AnswerOldOpenFirst() {
  absl::MutexLock lock(&mutex_);
  old_open_ = true;
}

void FakeServer::EndStreams(int streams, int code, const google::rpc::Status& failed) {
  absl::MutexLock lock(&mutex_);
  streams_to_end_ = streams;
  end_code_ = code;
  end_failed_ = failed;
}

void FakeServer::Steal(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  sessions_[id].epoch = ++epoch_;
}

void FakeServer::Forget() {
  absl::MutexLock lock(&mutex_);
  sessions_.clear();
}

void FakeServer::Replace(const std::string& id, uint64_t next_seq) {
  absl::MutexLock lock(&mutex_);
  Session session;
  session.epoch = session.incarnation = ++epoch_;
  session.next_seq = next_seq;
  session.saves = {{next_seq, 0.0}};
  sessions_[id] = session;
}

void FakeServer::Drain() {
  absl::MutexLock lock(&mutex_);
  drain_ = true;
}

void FakeServer::Pause(bool paused) {
  absl::MutexLock lock(&mutex_);
  paused_ = paused;
}

void FakeServer::RefuseStreams(int code) {
  absl::MutexLock lock(&mutex_);
  refusal_ = code;
}

int FakeServer::streams() const {
  absl::MutexLock lock(&mutex_);
  return streams_;
}

int FakeServer::messages() const {
  absl::MutexLock lock(&mutex_);
  return messages_;
}

int FakeServer::duplicates() const {
  absl::MutexLock lock(&mutex_);
  return duplicates_;
}

uint64_t FakeServer::folded() const {
  absl::MutexLock lock(&mutex_);
  return folded_;
}

int FakeServer::sessions() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(sessions_.size());
}

int FakeServer::violations() const {
  absl::MutexLock lock(&mutex_);
  return violations_;
}

int FakeServer::largest_start() const {
  absl::MutexLock lock(&mutex_);
  return largest_start_;
}

int FakeServer::closed() const {
  absl::MutexLock lock(&mutex_);
  return closed_;
}

std::vector<std::pair<uint64_t, uint64_t>> FakeServer::attempts() const {
  absl::MutexLock lock(&mutex_);
  return attempts_;
}

std::string FakeServer::header(const std::string& name) const {
  absl::MutexLock lock(&mutex_);
  const auto found = headers_.find(name);
  return found == headers_.end() ? "" : found->second;
}

bool FakeServer::exists(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  return sessions_.count(id) > 0;
}

uint64_t FakeServer::next_seq(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  return sessions_.at(id).next_seq;
}

uint64_t FakeServer::delivered(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  return sessions_.at(id).delivered;
}

grpc::Status FakeServer::Stream(grpc::ServerContext* context,
                                grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* stream) {
  {
    absl::MutexLock lock(&mutex_);
    ++streams_;
    NoteHeaders(*context);
    if (refusal_ != 0) return grpc::Status(static_cast<grpc::StatusCode>(refusal_), "no streams today");
  }
  Handles handles;
  v1::ClientMessage message;
  bool started = false;
  while (stream->Read(&message)) {
    NoteStart(message, started);
    v1::ServerMessage reply;
    grpc::Status end;
    if (!Handle(message, handles, reply, end)) {
      if (reply.items_size() > 0 && !end.ok()) stream->Write(reply);
      if (!end.ok()) return end;
      context->TryCancel();
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the stream was cut");
    }
    if (reply.items_size() > 0) stream->Write(reply);
  }
  return grpc::Status::OK;
}

void FakeServer::NoteHeaders(const grpc::ServerContext& context) {
  headers_.clear();
  for (const auto& [name, value] : context.client_metadata()) {
    headers_[{name.data(), name.size()}] = {value.data(), value.size()};
  }
}

void FakeServer::NoteStart(const v1::ClientMessage& message, bool& started) {
  if (started) return;
  int tokens = 0;
  for (const v1::ClientItem& item : message.items()) tokens += item.tokens().values_size();
  started = tokens > 0;
  absl::MutexLock lock(&mutex_);
  largest_start_ = std::max(largest_start_, tokens);
}

bool FakeServer::Cuts(const v1::ClientMessage& message, bool before) {
  if (std::none_of(message.items().begin(), message.items().end(), [](const auto& i) { return i.has_tokens(); })) {
    return false;
  }
  if (before) ++token_messages_;
  return cuts_.count(token_messages_) > 0 && (token_messages_ % 2 == 0) == before;
}

bool FakeServer::Ends(const v1::ClientMessage& message, v1::ServerMessage& reply) {
  if (streams_to_end_ == 0 ||
      std::none_of(message.items().begin(), message.items().end(), [](const auto& i) { return i.has_tokens(); })) {
    return false;
  }
  --streams_to_end_;
  if (end_failed_.code() != 0) *reply.add_items()->mutable_failed()->mutable_status() = end_failed_;
  return true;
}

bool FakeServer::Handle(const v1::ClientMessage& message, Handles& handles, v1::ServerMessage& reply,
                        grpc::Status& end) {
  absl::MutexLock lock(&mutex_);
  if (Ends(message, reply)) {
    end = grpc::Status(static_cast<grpc::StatusCode>(end_code_), "the stream was ended");
    return false;
  }
  ++messages_;
  if (message.ByteSizeLong() > options_.limits.message_bytes()) ++violations_;
  if (Cuts(message, /*before=*/true)) return false;
  for (const v1::ClientItem& item : message.items()) {
    if (item.has_hello()) {
      reply.add_items()->mutable_welcome()->set_protocol_version(1);
      *reply.mutable_items(0)->mutable_welcome()->mutable_limits() = options_.limits;
    }
    if (item.has_open()) Open(item.open(), handles, reply);
    if (item.has_tokens()) Fold(item.tokens(), handles, reply);
    if (item.has_close()) Close(item.close(), handles, reply);
    if (item.has_close() && std::exchange(lose_closed_, false)) return false;
  }
  if (std::exchange(drain_, false)) reply.add_items()->mutable_draining()->set_deadline_ms(1000);
  return !Cuts(message, /*before=*/false);
}

// As if the answers to an Open before this one came late.
void FakeServer::AnswerOldOpen(const v1::Open& open, v1::ServerMessage& reply) {
  v1::Opened& opened = *reply.add_items()->mutable_opened();
  opened.set_handle(open.handle());
  opened.set_number(open.number() + 1000);
  opened.set_next_seq(77);
  v1::Failed& failed = *reply.add_items()->mutable_failed();
  failed.set_handle(open.handle());
  failed.set_open_number(open.number() + 1000);
  *failed.mutable_status() = Error(5, "an older Open's");
}

void FakeServer::Open(const v1::Open& open, Handles& handles, v1::ServerMessage& reply) {
  attempts_.emplace_back(open.writer(), open.number());
  if (std::exchange(old_open_, false)) AnswerOldOpen(open, reply);
  if (opens_to_fail_ > 0) {
    --opens_to_fail_;
    Fail(open.handle(), fail_open_, 0, reply);
    if (options_.numbers_opens) {
      reply.mutable_items(reply.items_size() - 1)->mutable_failed()->set_open_number(open.number());
    }
    return;
  }
  const bool known = sessions_.count(open.session_id()) > 0;
  if (!known && open.mode() == v1::Open::RESUME) {
    return Fail(open.handle(), Error(5, absl::StrCat("no session ", open.session_id())), 0, reply);
  }
  if (known && open.mode() == v1::Open::CREATE) {
    return Fail(open.handle(), Error(6, absl::StrCat("there is a session ", open.session_id())), 0, reply);
  }
  Session& session = sessions_[open.session_id()];
  session.epoch = ++epoch_;
  if (!known) session.incarnation = epoch_;
  session.output = open.output();
  if (open.has_delivered_seq() && open.delivered_seq() < session.next_seq) {
    const auto save = std::prev(session.saves.upper_bound(open.delivered_seq()));
    session.next_seq = save->first;
    session.sum = save->second;
    session.saves.erase(std::next(save), session.saves.end());
  }
  handles[open.handle()] = {open.session_id(), session.epoch};
  v1::Opened& opened = *reply.add_items()->mutable_opened();
  opened.set_handle(open.handle());
  if (options_.numbers_opens) opened.set_number(open.number());
  opened.set_epoch(session.epoch);
  opened.set_incarnation(session.incarnation);
  opened.set_next_seq(session.next_seq);
  opened.set_durable_seq(session.durable());
  opened.set_created(!known);
  opened.set_channels(1);
  opened.mutable_model()->set_horizon(2);
  opened.mutable_model()->add_quantiles(0.5f);
}

void FakeServer::Settle(Session& session, uint64_t delivered) {
  session.delivered = std::max(session.delivered, delivered);
  while (session.saves.size() > 1 && std::next(session.saves.begin())->first <= session.delivered) {
    session.saves.erase(session.saves.begin());
  }
}

void FakeServer::Fold(const v1::Tokens& tokens, Handles& handles, v1::ServerMessage& reply) {
  const auto awake = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !paused_ || stopping_; };
  mutex_.Await(absl::Condition(&awake));
  const auto found = handles.find(tokens.handle());
  if (found == handles.end()) return;
  Attached& attached = found->second;
  const auto known = sessions_.find(attached.id);
  if (known == sessions_.end() || known->second.epoch != attached.epoch) {
    Fail(tokens.handle(), Error(10, absl::StrCat("another writer has ", attached.id)), 0, reply);
    handles.erase(found);
    return;
  }
  Session& session = known->second;
  Settle(session, tokens.delivered_seq());
  const auto n = static_cast<uint64_t>(tokens.values_size());
  if (n > options_.limits.tokens_per_item()) ++violations_;
  if (tokens.first_seq() + n > session.delivered + options_.limits.in_flight_tokens()) ++violations_;
  if (attached.skipping && tokens.first_seq() != session.next_seq) return;
  attached.skipping = false;
  if (fail_tokens_.code() != 0 || tokens.first_seq() > session.next_seq) {
    attached.skipping = true;
    const auto gap = Error(11, absl::StrCat("a gap: ", tokens.first_seq(), " after ", session.next_seq));
    return Fail(tokens.handle(), fail_tokens_.code() != 0 ? std::exchange(fail_tokens_, {}) : gap, session.next_seq,
                reply);
  }
  Answer(tokens, session, reply);
}

// Steps are between the tokens that ask for a forecast, which is enough for these tests.
void FakeServer::AddTime(int64_t time_ns, Session& session, v1::Forecasts& forecasts) {
  if (session.last_time_ns != 0 && time_ns > session.last_time_ns) session.step_ns = time_ns - session.last_time_ns;
  session.last_time_ns = time_ns;
  forecasts.add_times_ns(time_ns);
  forecasts.add_steps_ns(session.step_ns);
}

void FakeServer::Answer(const v1::Tokens& tokens, Session& session, v1::ServerMessage& reply) {
  v1::Forecasts forecasts;
  forecasts.set_first_seq(tokens.first_seq());
  for (int i = 0; i < tokens.values_size(); ++i) {
    const uint64_t seq = tokens.first_seq() + static_cast<uint64_t>(i);
    if (seq < session.next_seq) {
      ++duplicates_;
      continue;
    }
    session.sum += tokens.values(i);
    session.next_seq = seq + 1;
    ++folded_;
    if (options_.save_every > 0 && session.next_seq % options_.save_every == 0) {
      session.saves[session.next_seq] = session.sum;
    }
    if (tokens.silent() || seq % std::max(1u, session.output.every()) != 0) continue;
    session.forecast_seqs.insert(seq);
    forecasts.add_values(static_cast<float>(session.sum));
    forecasts.add_values(static_cast<float>(seq));
    if (options_.surprises && session.output.surprise()) {
      const bool any = seq > 0 && session.forecast_seqs.count(seq - 1) > 0;
      forecasts.add_surprise(any ? tokens.values(i) : std::numeric_limits<float>::quiet_NaN());
    }
    if (tokens.times_ns_size() > 0) AddTime(tokens.times_ns(i), session, forecasts);
  }
  const auto& steps = forecasts.steps_ns();
  if (steps.empty() || std::equal(steps.begin() + 1, steps.end(), steps.begin())) {
    if (!steps.empty()) forecasts.set_step_ns(steps[0]);
    forecasts.clear_steps_ns();
  }
  Settle(session, session.delivered);
  if (tokens.silent()) {
    v1::Acked& acked = *reply.add_items()->mutable_acked();
    acked.set_handle(tokens.handle());
    acked.set_next_seq(session.next_seq);
    acked.set_durable_seq(session.durable());
    return;
  }
  forecasts.set_handle(tokens.handle());
  forecasts.set_next_seq(session.next_seq);
  forecasts.set_durable_seq(session.durable());
  *reply.add_items()->mutable_forecasts() = std::move(forecasts);
}

void FakeServer::Close(const v1::Close& close, Handles& handles, v1::ServerMessage& reply) {
  const auto found = handles.find(close.handle());
  if (found == handles.end()) return;
  v1::Closed& closed = *reply.add_items()->mutable_closed();
  closed.set_handle(close.handle());
  const auto known = sessions_.find(found->second.id);
  if (known != sessions_.end()) {
    Settle(known->second, close.delivered_seq());
    closed.set_next_seq(known->second.next_seq);
    if (close.delete_session()) sessions_.erase(known);
  }
  handles.erase(found);
  ++closed_;
}

}  // namespace aaren
