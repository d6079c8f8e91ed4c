#include "aaren/client/session.h"

#include <utility>

#include "client/cpp/session/session_state.h"
#include "client/cpp/stream/connection.h"

namespace aaren::client {
namespace {

using Ending = SessionState::Ending;
using Patience = SessionState::Patience;

absl::Status End(Connection& connection, const std::shared_ptr<SessionState>& state, Ending ending) {
  const absl::StatusOr<SessionState::Ready> ready = state->Close(ending);
  if (!ready.ok()) return ready.status();
  connection.Enqueue(state, *ready);
  return state->WaitClosed();
}

}  // namespace

Session::Session(std::shared_ptr<Connection> connection, SessionOptions options, Listener& listener)
    : connection_(std::move(connection)),
      state_(std::make_shared<SessionState>(std::move(options), *this, listener, connection_->server())) {}

Session::~Session() {
  // First no callback may run any more; then the connection lets go of the session.
  state_->Detach();
  connection_->Remove(state_);
}

const std::string& Session::id() const { return state_->options().id; }

absl::StatusOr<Opened> Session::WaitOpened(absl::Duration timeout) { return state_->WaitOpened(timeout); }

absl::Status Session::Send(uint64_t first_seq, const TokenBatch& batch) {
  const absl::StatusOr<SessionState::Sent> sent = state_->Send(first_seq, batch, Patience::kWait);
  if (!sent.ok()) return sent.status();
  connection_->Enqueue(state_, sent->ready);
  return absl::OkStatus();
}

absl::StatusOr<Admission> Session::TrySend(uint64_t first_seq, const TokenBatch& batch) {
  const absl::StatusOr<SessionState::Sent> sent = state_->Send(first_seq, batch, Patience::kNone);
  if (!sent.ok()) return sent.status();
  connection_->Enqueue(state_, sent->ready);
  return sent->admission;
}

uint64_t Session::next_seq() const { return state_->next_seq(); }
uint64_t Session::answered_seq() const { return state_->answered_seq(); }

void Session::Delivered(uint64_t seq) { connection_->Enqueue(state_, state_->Delivered(seq)); }

absl::Status Session::Flush() { return state_->Flush(); }

absl::Status Session::Close() { return End(*connection_, state_, Ending::kKeep); }

absl::Status Session::Delete() { return End(*connection_, state_, Ending::kDelete); }

absl::Status Session::status() const { return state_->status(); }

}  // namespace aaren::client
