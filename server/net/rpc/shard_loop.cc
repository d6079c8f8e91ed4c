#include "server/net/rpc/shard_loop.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/server_builder.h"
#include "server/machine/cores/cores.h"
#include "server/operate/log/log.h"

namespace aaren::rpc {
namespace {

constexpr absl::Duration kPoll = absl::Microseconds(50);   // before going to sleep
constexpr absl::Duration kSleep = absl::Milliseconds(20);  // at most: saves and expiry are due at some time
constexpr absl::Duration kIdle = absl::Milliseconds(200);  // without work: after this time the thread sleeps for longer
constexpr absl::Duration kLongSleep = absl::Milliseconds(100);  // an idle shard wakes ten times a second
// The time of each part of a round: no part keeps the rest waiting. ShardOptions::slice is the step's time.
constexpr absl::Duration kPart = absl::Milliseconds(1);
constexpr absl::Duration kReliefPause = absl::Milliseconds(1);  // less than a tick: due work stays punctual
constexpr std::chrono::milliseconds kCancelAfter(100);  // calls still open then are cancelled: shutdown ends in time

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
      clock_(clock),
      tracer_(MakeTracer(options, clock)),
      shard_(options.index, WithTracer(options.shard, tracer_.get()), models, registrar, clock),
      services_(models, registrar),
      last_words_(clock),
      baton_(clock),
      threads_(baton_),
      rounds_(clock) {}

absl::Status ShardLoop::Build() {
  grpc::ServerBuilder builder;
  connections_ = std::make_unique<NewConnections>(builder, options_.credentials);
  services_.Register(builder);
  // gRPC has one limit for all methods; a stream keeps to a limit of its own.
  builder.SetMaxReceiveMessageSize(
      static_cast<int>(std::min<size_t>(std::max(options_.message_bytes, options_.limits.import_bytes), INT_MAX)));
  if (options_.quota != nullptr) builder.SetResourceQuota(*options_.quota);
  SetConnections(options_.connections, builder);
  queue_ = std::make_unique<EventQueue>(builder.AddCompletionQueue(), clock_, &baton_);
  services_.Host(queue_->queue(), shard_.mailbox(), calls_, options_.limits, clock_, options_.callers);
  streams_ = std::make_unique<StreamGroup>(StreamHost{.service = services_.streaming(),
                                                      .queue = queue_->queue(),
                                                      .shard = shard_,
                                                      .welcome = ToLimits(options_),
                                                      .limits = options_.limits,
                                                      .clock = clock_,
                                                      .calls = calls_,
                                                      .last_words = last_words_,
                                                      .callers = options_.callers});
  shard_.mailbox().SetWaker([this] { queue_->Wake(); });
  server_ = builder.BuildAndStart();
  return server_ != nullptr ? absl::OkStatus() : absl::UnavailableError("gRPC cannot start a server");
}

ShardLoop::~ShardLoop() {
  if (threads_.started() || server_ == nullptr) return;
  server_->Shutdown();
  queue_->Shutdown();
}

void ShardLoop::Start() {
  threads_.Start(
      options_.index, [this] { Run(); }, [this](size_t hand) { RunWhileKept(hand); });
}

void ShardLoop::Take(int socket) {
  shard_.mailbox().Post([this, socket] { connections_->Add(socket); });
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
  streams_->Accept();
  services_.Serve();
  absl::Time last_work = clock_.Now();
  while (!leaving_.stopped() || calls_ > 0 || !queue_->quiet() || !connections_->empty()) {
    const bool worked = DoRound();
    const absl::Time now = clock_.Now();
    AcceptCalls(threads_.MayTakeCalls(0, now));  // before a sleep, from which only calls might wake
    if (worked) last_work = now;
    if (now - last_work <= kPoll) continue;
    const absl::Duration sleep = now - last_work < kIdle ? kSleep : kLongSleep;
    rounds_.BeginSleep(sleep);
    queue_->Sleep(sleep, [this] { return shard_.DrainMailboxFor(kPart); });
  }
  rounds_.Stop();
  baton_.Give();
  threads_.EndReliefs();
  queue_->Shutdown();
}

void ShardLoop::RunWhileKept(size_t hand) {
  baton_.Take(hand);
  while (baton_.kept() >= hand) {
    AcceptCalls(threads_.MayTakeCalls(hand, clock_.Now()));
    if (!DoRound()) queue_->Await(kReliefPause);
  }
  baton_.Give();
}

// gRPC may keep a thread with thousands of calls of one connection. If another thread asks gRPC about the same
// connection, gRPC queues the work on a thread of gRPC's own, where more work waits behind. A probe of health does not
// wait.
void ShardLoop::AcceptCalls(bool accept) {
  if (accept) {
    last_words_.Resume();
  } else {
    last_words_.Pause();
  }
  services_.AcceptCalls(accept);
}

bool ShardLoop::DoRound() {
  rounds_.Begin();
  const bool worked = Round();
  rounds_.End(worked);
  return worked;
}

bool ShardLoop::MayStep() const { return shard_.StepUnderWay() || leaving_.MayStep(clock_); }

bool ShardLoop::Round() {
  bool worked = connections_->Give(kPart, baton_, clock_);
  worked |= TakeIn();
  worked |= shard_.DrainMailboxFor(kPart);
  const bool stepped = MayStep() && shard_.Step() > 0;
  worked |= stepped || shard_.StepUnderWay();
  streams_->Flush(kPart);
  worked |= streams_->busy();
  const absl::Time now = clock_.Now();
  if (rounds_.TickIsDue(now)) Tick(now);
  if (leaving_.begun()) Advance(now, stepped);
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
  shard_.Tick();
  services_.LookAtStore(options_.store_grace, now);
  streams_->EndStale(kPart);
  if (!rounds_.SecondIsOver(now)) return;
  last_words_.EndStale();
  services_.EndStale();
}

void ShardLoop::Drain(absl::Duration grace) {
  shard_.mailbox().Post([this, grace] { BeginDrain(grace); });
}

void ShardLoop::BeginDrain(absl::Duration grace) {
  const absl::Duration serve_on = leaving_.Begin(grace, clock_.Now());
  services_.Drain();
  streams_->Drain(serve_on);
  shard_.SaveEarly();  // leaves fewer sessions to save at the end
}

void ShardLoop::Advance(absl::Time now, bool stepped) {
  const Leaving::Signs signs{.stepped = stepped,
                             .tokens_wait = shard_.TokensWait() || streams_->busy(),
                             .saving = shard_.Busy(),
                             .has_streams = !streams_->empty()};
  switch (leaving_.Next(signs, now)) {
    case Leaving::Act::kNothing:
      return;
    case Leaving::Act::kStopReading:
      return streams_->StopReading();
    case Leaving::Act::kSaveAll:
      return shard_.SaveAll();
    case Leaving::Act::kEndStreams:
      streams_->StopReading();
      return streams_->Close();
    case Leaving::Act::kCutOffStreams:
      return streams_->Cancel();
    case Leaving::Act::kEndConnections:
      return options_.end_all_connections();
    case Leaving::Act::kTellClosed:
      return closed_.Notify();
  }
}

void ShardLoop::ShutdownServer() { server_->Shutdown(std::chrono::system_clock::now() + kCancelAfter); }

void ShardLoop::Stop() {
  if (!threads_.started()) return;
  shard_.mailbox().Post([this] { leaving_.Stop(); });
  threads_.Join();
}

}  // namespace aaren::rpc
