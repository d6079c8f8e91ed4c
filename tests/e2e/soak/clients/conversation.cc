#include "tests/e2e/soak/clients/conversation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace aaren::soak {
namespace {

// A client without a read for kImpolite may be cut off: the limit is a second while the client's tokens block further
// clients (server/README.md), less the time to notice.
constexpr absl::Duration kImpolite = absl::Milliseconds(400);

}  // namespace

std::unique_ptr<Conversation> Conversation::Begin(World& world, const std::string& name) {
  std::unique_ptr<Connection> connection = Connection::Open(world.address);
  if (!connection) return nullptr;
  return std::unique_ptr<Conversation>(new Conversation(world, name, std::move(connection)));
}

Conversation::Conversation(World& world, std::string name, std::unique_ptr<Connection> connection)
    : world_(world),
      name_(std::move(name)),
      connection_(std::move(connection)),
      stub_(v1::Streaming::NewStub(connection_->channel())),
      call_(stub_->Stream(&context_)) {
  v1::ClientMessage hello;
  hello.add_items()->mutable_hello()->set_protocol_version(1);
  call_->Write(hello);
  reader_ = std::thread([this] { Read(); });
  world_.history.Count("streams");
}

Conversation::~Conversation() {
  if (!ended_ && !half_closed_) Cancel();
  reader_.join();
}

Hold& Conversation::Open(v1::Open open, Application& application, v1::ClientMessage& message) {
  open.set_number(++opens_);
  std::unique_ptr<Hold>& hold = holds_[open.handle()];
  if (hold) past_.push_back(std::move(hold));
  hold = std::make_unique<Hold>(world_, absl::StrCat(name_, "/", open.handle()), application, open);
  *message.add_items()->mutable_open() = std::move(open);
  world_.history.Count("opens");
  return *hold;
}

// A handle may be used again after a Close, or after a refusal without a Close on its way.
uint32_t Conversation::FreeHandle() const {
  uint32_t handle = 0;
  for (const auto& [used, hold] : holds_) {
    const bool over =
        hold->phase() == Hold::Phase::kClosed || (hold->phase() == Hold::Phase::kRefused && !hold->closing());
    if (over) return used;
    handle = std::max(handle, used + 1);
  }
  return handle;
}

uint64_t Conversation::waiting() const {
  uint64_t sum = 0;
  for (const auto& [handle, hold] : holds_) sum += hold->live() ? hold->waiting() : 0;
  return sum;
}

void Conversation::Say(const v1::ClientMessage& message) {
  if (message.items_size() == 0 || !speaking()) return;
  if (!call_->Write(message)) silent_ = true;
}

void Conversation::HalfClose() {
  if (!speaking()) return;
  world_.history.Count("half-closes");
  silent_ = half_closed_ = true;
  pause_ms_ = 0;
  call_->WritesDone();
}

void Conversation::Cancel() {
  silent_ = broken_off_ = true;
  context_.TryCancel();
}

void Conversation::Cut() {
  silent_ = broken_off_ = true;
  connection_->Cut();
}

void Conversation::Read() {
  v1::ServerMessage message;
  while (call_->Read(&message)) {
    const absl::Time came = absl::Now();
    {
      absl::MutexLock lock(&mutex_);
      for (const v1::ServerItem& item : message.items()) {
        if (!world_.over()) Judge(item);
      }
    }
    absl::SleepFor(absl::Milliseconds(pause_ms_.exchange(0)));
    longest_without_reading_ = std::max(longest_without_reading_, absl::Now() - came);
  }
  const grpc::Status status = call_->Finish();
  if (!broken_off_ && !world_.terminating && !world_.over()) JudgeEnd(status);
  ended_ = true;
}

void Conversation::JudgeEnd(const grpc::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (half_closed_ && status.ok()) {
    for (const auto& [handle, hold] : holds_) hold->JudgeEnd();
    if (strays_.empty() && doomed_.empty()) return;
    return world_.history.Accuse("", absl::StrCat(name_, " ended with OK before bad items were refused"));
  }
  if (longest_without_reading_ > kImpolite) return world_.history.Count("slow readers cut off");
  world_.history.Accuse(
      holds_.empty() ? "" : holds_.begin()->second->id(),
      absl::StrCat(name_, " ended by the server: ", status.error_code(), " ", status.error_message(),
                   "; it was read without a break longer than ", absl::FormatDuration(longest_without_reading_)));
}

template <typename Item>
void Conversation::ToHold(const Item& item) {
  const auto found = holds_.find(item.handle());
  if (found != holds_.end()) return found->second->Judge(item);
  world_.history.Accuse("",
                        absl::StrCat(name_, ": an answer for a handle that is not open: ", item.ShortDebugString()));
}

void Conversation::Judge(const v1::ServerItem& item) {
  if (std::exchange(welcome_, true) == item.has_welcome()) {
    return world_.history.Accuse("", absl::StrCat(name_, ": one Welcome was expected, first"));
  }
  if (item.has_welcome()) return;
  if (item.has_opened()) return ToHold(item.opened());
  if (item.has_forecasts()) return ToHold(item.forecasts());
  if (item.has_acked()) return ToHold(item.acked());
  if (item.has_closed()) return ToHold(item.closed());
  if (item.has_failed()) return JudgeFailed(item.failed());
  if (item.has_draining() && world_.terminating) return;
  world_.history.Accuse("", absl::StrCat(name_, ": unexpected ", item.ShortDebugString()));
}

void Conversation::JudgeFailed(const v1::Failed& failed) {
  if (!failed.has_handle()) {
    if (longest_without_reading_ > kImpolite || world_.terminating) return;
    return world_.history.Accuse("", absl::StrCat(name_, ": the stream failed: ", failed.ShortDebugString()));
  }
  if (const auto doomed = doomed_.find(failed.open_number()); failed.has_open_number() && doomed != doomed_.end()) {
    const int code = doomed->second;
    doomed_.erase(doomed);
    if (failed.status().code() == code) return world_.history.Count(absl::StrCat("bad Open refused with code ", code));
    return world_.history.Accuse(
        "", absl::StrCat(name_, ": code ", code, " expected of a bad Open, came ", failed.ShortDebugString()));
  }
  const auto stray = strays_.find(failed.handle());
  if (stray == strays_.end()) return ToHold(failed);
  constexpr int kNotFound = 5;
  if (failed.status().code() != kNotFound) {
    return world_.history.Accuse(
        "", absl::StrCat(name_, ": NOT_FOUND expected of a handle that is not open, came ", failed.ShortDebugString()));
  }
  if (--stray->second == 0) strays_.erase(stray);
  world_.history.Count("strays refused");
}

}  // namespace aaren::soak
