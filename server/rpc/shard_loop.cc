#include "server/rpc/shard_loop.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/server_builder.h"
#include "server/cores/cores.h"
#include "server/log/log.h"

namespace aaren::rpc {
namespace {

constexpr absl::Duration kPoll = absl::Microseconds(50);   // before going to sleep
constexpr absl::Duration kTick = absl::Milliseconds(5);    // between two looks at due work: each look takes time
constexpr absl::Duration kSleep = absl::Milliseconds(20);  // at most: saves and expiry are due at some time
constexpr absl::Duration kIdle = absl::Milliseconds(200);  // without work: after this time the thread sleeps for longer
constexpr absl::Duration kLongSleep = absl::Milliseconds(100);  // an idle shard wakes ten times a second
constexpr absl::Duration kStale = absl::Seconds(1);             // between two looks for stale streams
// The time of each part of a round: no part keeps the rest waiting. ShardOptions::slice is the step's time.
constexpr absl::Duration kPart = absl::Milliseconds(1);
constexpr absl::Duration kReliefPause = absl::Milliseconds(1);      // less than kTick: due work stays punctual
constexpr absl::Duration kAcceptNothing = absl::Milliseconds(100);  // at most, while a thread is kept
constexpr absl::Duration kServeOn = absl::Seconds(2);               // at most, after Draining was sent
constexpr absl::Duration kQuiet = absl::Milliseconds(50);  // without an answer: a slow client does not read any more
constexpr std::chrono::milliseconds kCancelAfter(100);     // calls still open then are cancelled: shutdown ends in time

v1::Limits ToLimits(const LoopOptions& options) {
  v1::Limits limits;
  limits.set_message_bytes(options.message_bytes);
  limits.set_tokens_per_item(options.shard.max_tokens_per_item);
  limits.set_in_flight_tokens(options.shard.max_in_flight_tokens);
  limits.set_channels(options.shard.max_channels);
  limits.set_sessions_per_stream(options.shard.max_sessions_per_stream);
  return limits;
}

std::unique_ptr<trace::Tracer> MakeTracer(const LoopOptions& options, const session::Clock& clock) {
  if (options.spans == nullptr) return nullptr;
  trace::TracerOptions traces = options.traces;
  traces.shard = options.index;
  return std::make_unique<trace::Tracer>(traces, *options.spans, clock);
}

shard::ShardOptions WithTracer(shard::ShardOptions options, trace::Tracer* tracer) {
  options.ties.tracer = tracer;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShardLoop>> ShardLoop::Make(const LoopOptions& options, const models::ModelTable& models,
                                                           registrar::Registrar& registrar,
                                                           const session::Clock& clock) {
  std::unique_ptr<ShardLoop> loop(new ShardLoop(options, models, registrar, clock));
  if (absl::Status status = loop->Build(); !status.ok()) return status;
  return loop;
}

ShardLoop::ShardLoop(const LoopOptions& options, const models::ModelTable& models, registrar::Registrar& registrar,
                     const session::Clock& clock)
    : options_(options),
      models_(models),
      registrar_(registrar),
      clock_(clock),
      tracer_(MakeTracer(options, clock)),
      shard_(options.index, WithTracer(options.shard, tracer_.get()), models, registrar, clock),
      services_{v1::Streaming::service_full_name(),
                v1::Sessions::service_full_name(),
                v1::Models::service_full_name(),
                grpc::health::v1::Health::service_full_name(),
                grpc::reflection::v1::ServerReflection::service_full_name(),
                grpc::reflection::v1alpha::ServerReflection::service_full_name()},
      last_words_(clock),
      baton_(clock) {}

absl::Status ShardLoop::Build() {
  grpc::ServerBuilder builder;
  connections_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, options_.credentials);
  for (grpc::Service* service :
       {static_cast<grpc::Service*>(&streaming_), static_cast<grpc::Service*>(&sessions_),
        static_cast<grpc::Service*>(&models_service_), static_cast<grpc::Service*>(&health_service_),
        static_cast<grpc::Service*>(&reflection_), static_cast<grpc::Service*>(&old_reflection_)}) {
    builder.RegisterService(service);
  }
  builder.RegisterAsyncGenericService(&unknown_methods_);
  // gRPC has one limit for all methods; a stream keeps to a limit of its own.
  builder.SetMaxReceiveMessageSize(
      static_cast<int>(std::min<size_t>(std::max(options_.message_bytes, options_.limits.import_bytes), INT_MAX)));
  if (options_.quota != nullptr) builder.SetResourceQuota(*options_.quota);
  SetConnections(options_.connections, builder);
  queue_ = std::make_unique<EventQueue>(builder.AddCompletionQueue(), clock_, &baton_);
  unary_ = std::make_unique<UnaryHost>(queue_->queue(), shard_.mailbox(), calls_, options_.limits, clock_);
  checks_ = std::make_unique<UnaryHost>(queue_->queue(), shard_.mailbox(), calls_, options_.limits, clock_);
  unary_->heard_of = checks_->heard_of = options_.heard_of;
  unary_->callers = options_.callers;
  health_ = std::make_unique<HealthService>(
      health_service_, *checks_, services_,
      std::vector<std::string>{v1::Streaming::service_full_name(), v1::Sessions::service_full_name()});
  streams_ = std::make_unique<StreamGroup>(StreamHost{.service = streaming_,
                                                      .queue = queue_->queue(),
                                                      .shard = shard_,
                                                      .welcome = ToLimits(options_),
                                                      .limits = options_.limits,
                                                      .clock = clock_,
                                                      .calls = calls_,
                                                      .last_words = last_words_,
                                                      .heard_of = options_.heard_of,
                                                      .callers = options_.callers});
  shard_.mailbox().SetWaker([this] { queue_->Wake(); });
  server_ = builder.BuildAndStart();
  return server_ != nullptr ? absl::OkStatus() : absl::UnavailableError("gRPC cannot start a server");
}

ShardLoop::~ShardLoop() {
  if (thread_.joinable() || server_ == nullptr) return;
  server_->Shutdown();
  queue_->Shutdown();
}

void ShardLoop::Start() {
  const auto name = [this](std::thread& thread, const char* kind) {
    pthread_setname_np(thread.native_handle(), absl::StrCat(kind, "-", options_.index).c_str());
  };
  for (size_t hand = 1; hand < Baton::kHands; ++hand) {
    name(reliefs_.emplace_back([this, hand] { RunWhileKept(hand); }), "relief");
  }
  thread_ = std::thread([this] { Run(); });
  name(thread_, "shard");
}

void ShardLoop::Take(int socket) {
  shard_.mailbox().Post([this, socket] { arrived_.push_back(socket); });
}

// The thread that gives gRPC a socket reads the connection's bytes at once, and goes on while more come. The acceptor
// keeps watch, and must not read.
bool ShardLoop::TakeConnections() {
  if (arrived_.empty()) return false;
  const absl::Time end = clock_.Now() + kPart;
  do {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = arrived_.front();
    arrived_.pop_front();
    baton_.Lend(absl::ZeroDuration(), [&] { connections_->HandleNewConnection(&connection); });
  } while (!arrived_.empty() && clock_.Now() < end);
  return true;
}

void ShardLoop::Serve() {
  streams_->Accept();
  health_->Serve();
  ServeSessions(sessions_, *unary_, registrar_);
  ServeModels(models_service_, *unary_, models_);
  ServeReflection(reflection_, *unary_, services_);
  ServeReflection(old_reflection_, *unary_, services_);
  RefuseUnknownMethods(unknown_methods_, *unary_);
}

// Memory first touched by a thread lies beside the core of the thread.
void ShardLoop::KeepToCore() const {
  if (options_.core < 0) return;
  const absl::Status status = cores::KeepTo(options_.core);
  if (status.ok()) return;
  log::Log(log::LogLevel::kWarning, "a shard cannot keep to its core",
           {{"shard", absl::StrCat(options_.index)}, {"error", std::string(status.message())}});
}

void ShardLoop::Run() {
  KeepToCore();
  baton_.Take(0);
  Serve();
  absl::Time last_work = clock_.Now();
  while (!stopping_ || calls_ > 0 || !queue_->quiet() || !arrived_.empty()) {
    const bool worked = DoRound();
    const absl::Time now = clock_.Now();
    if (worked) last_work = now;
    if (now - last_work <= kPoll) continue;
    const absl::Duration sleep = now - last_work < kIdle ? kSleep : kLongSleep;
    // gRPC may read on and on during the sleep, too.
    round_began_ns_.store(clock_.NowNanos() + absl::ToInt64Nanoseconds(sleep), std::memory_order_relaxed);
    queue_->Sleep(sleep, [this] { return shard_.DrainMailboxFor(kPart); });
  }
  round_began_ns_.store(0, std::memory_order_relaxed);
  baton_.Give();
  {
    absl::MutexLock lock(&relief_mutex_);
    over_ = true;
  }
  for (std::thread& relief : reliefs_) relief.join();
  queue_->Shutdown();
}

bool ShardLoop::Relieve() {
  const size_t kept = baton_.kept();
  {
    absl::MutexLock lock(&relief_mutex_);
    kept_ = kept;
  }
  return !std::exchange(relieved_, kept > 0) && kept > 0;
}

// Each relief relieves the hands before it while gRPC keeps all of them.
void ShardLoop::RunWhileKept(size_t hand) {
  for (;;) {
    {
      absl::MutexLock lock(&relief_mutex_);
      const auto wanted = [&]() ABSL_SHARED_LOCKS_REQUIRED(relief_mutex_) { return over_ || kept_ >= hand; };
      relief_mutex_.Await(absl::Condition(&wanted));
      if (over_) return;
      kept_ = 0;
    }
    baton_.Take(hand);
    AcceptCalls(false);
    const absl::Time accept = clock_.Now() + kAcceptNothing;
    while (baton_.kept() >= hand) {
      if (clock_.Now() >= accept) AcceptCalls(true);
      if (!DoRound()) queue_->Await(kReliefPause);
    }
    if (hand == 1 || baton_.kept() == 0) AcceptCalls(true);
    baton_.Give();
  }
}

// gRPC may keep a thread with thousands of calls of one connection. If another thread asks gRPC about the same
// connection, gRPC queues the work on a thread of gRPC's own, where more work waits behind. A probe of health does not
// wait.
void ShardLoop::AcceptCalls(bool accept) {
  for (LastWords* words : {&last_words_, &unary_->last_words}) {
    if (accept) {
      words->Resume();
    } else {
      words->Pause();
    }
  }
}

bool ShardLoop::DoRound() {
  const int64_t began_ns = clock_.NowNanos();
  round_began_ns_.store(began_ns, std::memory_order_relaxed);
  const bool worked = Round();
  if (worked) busy_ns_.store(busy_ns() + clock_.NowNanos() - began_ns, std::memory_order_relaxed);
  return worked;
}

absl::Duration ShardLoop::round() const {
  const int64_t began = round_began_ns_.load(std::memory_order_relaxed);
  return began == 0 ? absl::ZeroDuration() : absl::Nanoseconds(std::max<int64_t>(0, clock_.NowNanos() - began));
}

// From half of the grace period on, waiting tokens are not begun: clients keep unanswered tokens, and saves come first.
bool ShardLoop::MayStep() const { return phase_ != Phase::kSaving || shard_.StepUnderWay() || clock_.Now() < save_; }

bool ShardLoop::Round() {
  bool worked = TakeConnections();
  worked |= TakeIn();
  worked |= shard_.DrainMailboxFor(kPart);
  const bool stepped = MayStep() && shard_.Step() > 0;
  worked |= stepped || shard_.StepUnderWay();
  streams_->Flush(kPart);
  worked |= streams_->busy();
  const absl::Time now = clock_.Now();
  if (now >= next_tick_) Tick(now);
  if (phase_ != Phase::kServing) Advance(now, stepped);
  return worked;
}

// A stream whose message was handled to its end may have the next message already: one step and one write then serve
// many messages.
bool ShardLoop::TakeIn() {
  bool worked = queue_->Drain(kPart);
  if (!streams_->HandleInput(kPart)) return worked;
  const absl::Time end = clock_.Now() + kPart;
  while (queue_->Drain(kPart) && streams_->HandleInput(kPart) && clock_.Now() < end) {
  }
  return true;
}

void ShardLoop::Tick(absl::Time now) {
  next_tick_ = now + kTick;
  shard_.Tick();
  health_->SetStoreServing(registrar_.store_health().AwayFor(now) <= options_.store_grace);
  streams_->EndStale(kPart);
  if (now < next_stale_) return;
  next_stale_ = now + kStale;
  last_words_.EndStale();
  unary_->EndStale();
  checks_->EndStale();
  health_->EndStale();
}

void ShardLoop::Drain(absl::Duration grace) {
  shard_.mailbox().Post([this, grace] { BeginDrain(grace); });
}

void ShardLoop::BeginDrain(absl::Duration grace) {
  const absl::Time now = clock_.Now();
  const absl::Duration serve_on = std::min(kServeOn, grace / 4);
  stop_reading_ = now + serve_on;
  save_ = now + grace / 2;
  cut_off_ = now + grace * 0.9;
  end_all_ = now + grace * 0.95;
  unary_->draining = true;
  health_->SetServing(false);
  streams_->Drain(serve_on);
  shard_.SaveEarly();  // leaves fewer sessions to save at the end
  phase_ = Phase::kDraining;
}

// Goes to the next phase once this phase is over. `stepped`: tokens were answered in this round, and more may wait.
// Once no token waits, or none was answered for kQuiet, the sessions are saved whatever else clients ask for; from half
// of the grace period on in any case.
void ShardLoop::Advance(absl::Time now, bool stepped) {
  if (stepped) quiet_ = now + kQuiet;
  const bool answered = !stepped && !shard_.TokensWait() && !streams_->busy();
  if (phase_ < Phase::kClosing && now >= cut_off_) {
    all_saved_ = phase_ == Phase::kSaving && !shard_.Busy();
    EndStreams();
  }
  if (phase_ == Phase::kDraining && (now >= stop_reading_ || streams_->empty())) {
    streams_->StopReading();
    phase_ = Phase::kAnswering;
    quiet_ = now + kQuiet;
  } else if (phase_ == Phase::kAnswering && (answered || now >= std::min(quiet_, save_))) {
    shard_.SaveAll();
    phase_ = Phase::kSaving;
  } else if (phase_ == Phase::kSaving && !stepped && !shard_.Busy()) {
    EndStreams();
  } else if (phase_ == Phase::kClosing) {
    if (now >= cut_off_) streams_->Cancel();
    if (now >= end_all_) EndAllConnections();
    if (streams_->empty()) {
      phase_ = Phase::kClosed;
      closed_.Notify();
    }
  }
}

void ShardLoop::EndStreams() {
  streams_->StopReading();
  streams_->Close();
  phase_ = Phase::kClosing;
}

// A stream is over only when gRPC has written the begun bytes, cancelled or not. Some clients take nothing.
void ShardLoop::EndAllConnections() {
  end_all_ = absl::InfiniteFuture();
  options_.end_all_connections();
}

void ShardLoop::ShutdownServer() { server_->Shutdown(std::chrono::system_clock::now() + kCancelAfter); }

void ShardLoop::Stop() {
  if (!thread_.joinable()) return;
  shard_.mailbox().Post([this] { stopping_ = true; });
  thread_.join();
}

}  // namespace aaren::rpc
