#include "server/store/redis/redis_link.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/operate/log/log.h"
#include "server/store/redis/redis_error.h"

namespace aaren::store {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook(5);
constexpr char kFenceMsText[] = "604800000";  // a week, as in the greeting

absl::Status Unavailable(const absl::Status& why, absl::string_view more) {
  return absl::UnavailableError(absl::StrCat("redis ", why.message(), more));
}

bool ShareAKey(const RedisCall& a, const RedisCall& b) {
  return std::any_of(a.keys.begin(), a.keys.end(), [&b](const std::string& key) {
    return std::find(b.keys.begin(), b.keys.end(), key) != b.keys.end();
  });
}

std::string NewName() { return absl::StrCat(absl::Hex(std::mt19937_64(std::random_device()())(), absl::kZeroPad16)); }

void BlockSigpipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisLink>> RedisLink::Open(const RedisOptions& options) {
  std::unique_ptr<RedisLink> link(new RedisLink(options));
  link->thread_ = std::thread([made = link.get()] { made->Run(); });
  pthread_setname_np(link->thread_.native_handle(), "redis");
  if (absl::Status status = link->AwaitFirst(); !status.ok()) return status;
  return link;
}

RedisLink::RedisLink(const RedisOptions& options)
    : options_(options),
      timeout_(absl::ToChronoNanoseconds(options.timeout)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      server_(NewName()),
      keys_(options.prefix, server_),
      attempts_(options_) {}

RedisLink::~RedisLink() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    eventfd_write(wake_, 1);
  }
  if (thread_.joinable()) thread_.join();
  close(wake_);
}

// Abseil would wait by the wall clock, and the wall clock may be set back while a machine starts.
absl::Status RedisLink::AwaitFirst() {
  const auto end = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(options_.start);
  while (!IsDecided() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kLook);
  absl::MutexLock lock(&mutex_);
  if (connected_once_) return absl::OkStatus();
  if (!round_.ok()) return round_;
  return absl::UnavailableError(absl::StrCat("no answer within ", absl::FormatDuration(options_.start)));
}

bool RedisLink::IsDecided() {
  absl::MutexLock lock(&mutex_);
  return connected_once_ || IsPermanent(round_);
}

void RedisLink::Post(RedisCall call) {
  call.made = std::chrono::steady_clock::now();
  absl::MutexLock lock(&mutex_);
  posted_.push_back(std::move(call));
  // A wake-up is a system call: calls posted before the thread looks share one.
  if (!std::exchange(awake_, true)) eventfd_write(wake_, 1);
}

bool RedisLink::TakePosted() {
  std::vector<RedisCall> posted;
  bool stopping = false;
  {
    absl::MutexLock lock(&mutex_);
    posted.swap(posted_);
    awake_ = false;
    stopping = stopping_;
  }
  for (RedisCall& call : posted) {
    // After a round of addresses in vain the next round may be seconds away: new calls do not wait for the timeout.
    if (attempts_.down().ok() || ready()) {
      waiting_.push_back(std::move(call));
    } else {
      call.answer(Unavailable(attempts_.down(), ""));
    }
  }
  return !stopping;
}

void RedisLink::Run() {
  BlockSigpipe();
  for (;;) {
    const bool going_on = TakePosted();
    if (!going_on && waiting_.empty() && under_way_.empty() && again_.empty()) break;
    const Time now = std::chrono::steady_clock::now();
    if (connection_ == nullptr && now >= attempts_.next()) Connect(now);
    if (ready()) SendWaiting();
    CheckTimes(now);
    Poll(now);
  }
  SayGoodbye();
}

RedisLink::Time RedisLink::NextTime() const {
  if (connection_ == nullptr) {
    return waiting_.empty() ? attempts_.next() : std::min(attempts_.next(), waiting_.front().made + timeout_);
  }
  Time next = next_beat_;
  if (!ready() || !under_way_.empty()) next = std::min(next, heard_ + timeout_);
  if (!ready() && !waiting_.empty()) next = std::min(next, waiting_.front().made + timeout_);
  return next;
}

void RedisLink::Poll(Time now) {
  pollfd files[2] = {{wake_, POLLIN, 0}, {-1, POLLIN, 0}};
  if (connection_ != nullptr) {
    files[1].fd = connection_->socket();
    if (connection_->wants_to_write()) files[1].events |= POLLOUT;
  }
  const auto left = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(NextTime() - now));
  // A minute at most: poll takes an int of milliseconds, and the loop looks at the times again.
  poll(files, 2, static_cast<int>(std::min(left, milliseconds(60'000)).count()));
  eventfd_t ignored = 0;
  if (files[0].revents != 0) eventfd_read(wake_, &ignored);
  if (connection_ == nullptr || files[1].revents == 0) return;
  now = std::chrono::steady_clock::now();
  heard_ = now;  // long rows may take longer than the timeout while bytes still move
  if ((files[1].revents & POLLOUT) != 0) broken_.Update(connection_->Write());
  // POLLHUP and POLLERR count as readable: the read tells how the connection ended.
  if ((files[1].revents & ~POLLOUT) != 0 && broken_.ok()) ReadReplies(now);
  if (!broken_.ok()) Break(std::exchange(broken_, absl::OkStatus()), now);
}

void RedisLink::Connect(Time now) {
  question_.reset();
  greeting_.reset();
  absl::Status begun;
  if (attempts_.asks_sentinel()) {
    absl::StatusOr<SentinelQuestion> question = SentinelQuestion::Begin(options_);
    if (question.ok()) question_ = *std::move(question);
    begun = question.status();
  } else {
    absl::StatusOr<RedisGreeting> greeting = RedisGreeting::Begin(options_, keys_, {++number_, greatest_epoch_});
    if (greeting.ok()) greeting_ = *std::move(greeting);
    begun = greeting.status();
  }
  if (!begun.ok()) return AttemptFailed(begun, now);
  absl::StatusOr<std::unique_ptr<RedisConnection>> connection =
      RedisConnection::Begin(attempts_.address(), options_.tls);
  now = std::chrono::steady_clock::now();  // a name may have been looked up
  if (!connection.ok()) return AttemptFailed(connection.status(), now);
  connection_ = *std::move(connection);
  for (const std::vector<std::string>& command : question_ ? question_->commands() : greeting_->commands()) {
    connection_->Send(std::vector<absl::string_view>(command.begin(), command.end()));
  }
  heard_ = now;
  next_beat_ = now + timeout_;
}

// The next round of the loop connects to the master.
void RedisLink::OnSentinelReply(const redisReply& reply) {
  absl::StatusOr<std::optional<address::Address>> master = question_->OnReply(reply);
  if (!master.ok()) {
    broken_ = master.status();
  } else if (*master) {
    attempts_.OnMaster(**std::move(master));
    connection_.reset();
  }
}

void RedisLink::ReadReplies(Time now) {
  broken_.Update(connection_->Read());
  while (broken_.ok() && connection_ != nullptr) {
    const absl::StatusOr<RedisReply> reply = connection_->Next();
    if (!reply.ok()) broken_ = reply.status();
    if (!reply.ok() || *reply == nullptr) return;
    if (question_) {
      OnSentinelReply(**reply);
      continue;
    }
    if (greeting_->done()) {
      OnReply(**reply);
      continue;
    }
    broken_.Update(greeting_->OnReply(**reply));
    if (broken_.ok() && greeting_->done()) OnReady(now);
  }
}

void RedisLink::OnReady(Time now) {
  if (!identity_.empty() && identity_ != greeting_->identity()) {
    log::Log(
        log::LogLevel::kError, "redis has lost its data: sessions that were saved there are gone",
        {{"address", attempts_.address().ToString()}, {"data", greeting_->identity()}, {"data_before", identity_}});
    // Known data without a fence of this server are from before the first connection: a backup, or a replica behind.
  } else if (!identity_.empty() && greeting_->last_fence().empty()) {
    log::Log(log::LogLevel::kError, "redis has gone back to earlier data: the last saves may be gone",
             {{"address", attempts_.address().ToString()}, {"data", identity_}});
  }
  if (!identity_.empty()) reconnects_.fetch_add(1, std::memory_order_relaxed);
  identity_ = greeting_->identity();
  scripts_ = greeting_->scripts();
  log::Log(log::LogLevel::kInfo, "redis connected",
           {{"address", attempts_.address().ToString()}, {"version", greeting_->version()}});
  attempts_.OnConnected();
  next_beat_ = now + timeout_;
  absl::MutexLock lock(&mutex_);
  connected_once_ = true;
}

void RedisLink::OnReply(const redisReply& reply) {
  if (under_way_.empty()) {
    broken_ = absl::UnavailableError("a reply to nothing");
    return;
  }
  RedisCall call = std::move(under_way_.front());
  under_way_.pop_front();
  if (reply.type != REDIS_REPLY_ERROR) {
    attempts_.OnReply();
    RefuseOvertaken(call);
    call.answer(&reply);
  } else if (IsNoScript(TextOf(reply)) && call.script) {
    // A missing script means that Redis did nothing, so sending the call again is safe.
    again_.push_back(std::move(call));
  } else {
    const absl::Status status = FromRedisError(TextOf(reply));
    if (EndsConnection(TextOf(reply))) broken_ = status;
    call.answer(status);
  }
  // Once nothing is under way, the calls sent again keep their order.
  if (under_way_.empty() && !again_.empty() && broken_.ok()) LoadScripts();
}

// Another server has loaded the scripts after this call missed its script and before a later call. The later call is
// done: doing this call now would change the order.
void RedisLink::RefuseOvertaken(const RedisCall& done) {
  for (auto call = again_.begin(); call != again_.end();) {
    if (!ShareAKey(*call, done)) {
      ++call;
      continue;
    }
    call->answer(absl::UnavailableError("redis has forgotten its scripts; it was not done"));
    call = again_.erase(call);
  }
}

void RedisLink::LoadScripts() {
  log::Log(log::LogLevel::kWarning, "redis has forgotten its scripts; they are loaded again",
           {{"address", attempts_.address().ToString()}, {"calls", absl::StrCat(again_.size())}});
  const auto loaded = [this](const absl::StatusOr<const redisReply*>& reply) { broken_.Update(reply.status()); };
  for (size_t script = 0; script < kRedisScripts; ++script) {
    Send({{}, {}, {"SCRIPT", "LOAD", TextOfScript(static_cast<RedisScript>(script))}, {}, loaded, {}});
  }
  for (RedisCall& call : std::exchange(again_, {})) Send(std::move(call));
}

void RedisLink::SendWaiting() {
  // A call waiting for its script is not overtaken.
  while (again_.empty() && !waiting_.empty() && connection_->has_room()) {
    RedisCall call = std::move(waiting_.front());
    waiting_.pop_front();
    Send(std::move(call));
  }
  if (connection_->wants_to_write()) broken_.Update(connection_->Write());
  if (!broken_.ok()) Break(std::exchange(broken_, absl::OkStatus()), std::chrono::steady_clock::now());
}

void RedisLink::Send(RedisCall call) {
  // A Redis that was asked nothing was not silent: the timeout begins with the question.
  if (under_way_.empty()) heard_ = std::chrono::steady_clock::now();
  std::vector<absl::string_view> command;
  const std::string number = absl::StrCat(number_), keys = absl::StrCat(call.keys.size() + 2);
  auto argument = call.arguments.begin();
  if (call.script) {
    command = {"EVALSHA", scripts_[static_cast<size_t>(*call.script)], keys, keys_.fence, keys_.sessions};
  } else {
    command = {*argument++};
  }
  command.insert(command.end(), call.keys.begin(), call.keys.end());
  if (call.script) command.push_back(number);
  command.insert(command.end(), argument, call.arguments.end());
  if (call.last != nullptr) command.push_back(*call.last);
  connection_->Send(command);
  under_way_.push_back(std::move(call));
}

// Keeps the fence, and finds out whether the Redis is up and still has its data.
void RedisLink::Beat(Time now) {
  next_beat_ = now + timeout_;
  Send({{},
        {keys_.fence},
        {"PEXPIRE", kFenceMsText},
        {},
        [this](const absl::StatusOr<const redisReply*>& reply) {
          if (reply.ok() && (*reply)->integer == 0) {
            broken_ = absl::UnavailableError("FENCED it has forgotten this server");
          }
        },
        {}});
}

void RedisLink::CheckTimes(Time now) {
  if (connection_ != nullptr && (!ready() || !under_way_.empty()) && now - heard_ >= timeout_) {
    // A Redis without TLS may meet a handshake with silence.
    const absl::string_view hint = options_.tls.enabled() && !ready() ? "; does it speak TLS?" : "";
    Break(absl::UnavailableError(absl::StrCat("no answer for ", absl::FormatDuration(options_.timeout), hint)), now);
  }
  while (!waiting_.empty() && now - waiting_.front().made >= timeout_ && !ready()) {
    RedisCall call = std::move(waiting_.front());
    waiting_.pop_front();
    call.answer(absl::UnavailableError(
        absl::StrCat("redis: no connection for ", absl::FormatDuration(options_.timeout), "; it was not done")));
  }
  if (ready() && now >= next_beat_) Beat(now);
}

void RedisLink::Break(const absl::Status& why, Time now) {
  const bool was_ready = ready();
  connection_.reset();
  if (!was_ready) return AttemptFailed(why, now);
  log::Log(log::LogLevel::kWarning, "redis connection lost",
           {{"address", attempts_.address().ToString()},
            {"why", std::string(why.message())},
            {"calls", absl::StrCat(under_way_.size())}});
  const absl::Status here = WithAddress(attempts_.address(), why);
  for (RedisCall& call : std::exchange(again_, {})) call.answer(Unavailable(here, "; it was not done"));
  for (RedisCall& call : std::exchange(under_way_, {})) {
    call.answer(Unavailable(here, "; whether it was done is not known"));
  }
  broken_ = absl::OkStatus();  // the link's own calls note their answer, and the next connection is not to blame
  attempts_.OnBroken(now);
}

void RedisLink::AttemptFailed(const absl::Status& why, Time now) {
  if (!attempts_.OnFailed(why, now)) return;
  for (RedisCall& call : std::exchange(waiting_, {})) {
    call.answer(Unavailable(attempts_.down(), "; it was not done"));
  }
  absl::MutexLock lock(&mutex_);
  round_ = attempts_.down();
}

void RedisLink::SayGoodbye() {
  if (!ready()) return;
  connection_->Send({"DEL", keys_.fence});
  // If the goodbye is lost, the fence goes after a week by itself.
  (void)connection_->Write();
}

}  // namespace aaren::store
