#include <utility>

#include "client/cpp/client.h"
#include "client/cpp/connection.h"
#include "client/cpp/session_state.h"

namespace aaren::client {

Session::Session(std::shared_ptr<Connection> connection, SessionOptions options, Listener& listener)
    : connection_(std::move(connection)), state_(std::make_shared<SessionState>(std::move(options), *this, listener)) {}

Session::~Session() {
  state_->Detach();
  connection_->Remove(state_);
}

const std::string& Session::id() const { return state_->options().id; }

absl::StatusOr<v1::Opened> Session::WaitOpened(absl::Duration timeout) { return state_->WaitOpened(timeout); }

absl::Status Session::Send(uint64_t first_seq, const TokenBatch& batch) {
  bool enqueue = false;
  const absl::StatusOr<bool> taken = state_->Send(first_seq, batch, /*wait=*/true, enqueue);
  if (enqueue) connection_->Enqueue(state_);
  return taken.status();
}

absl::StatusOr<bool> Session::TrySend(uint64_t first_seq, const TokenBatch& batch) {
  bool enqueue = false;
  const absl::StatusOr<bool> taken = state_->Send(first_seq, batch, /*wait=*/false, enqueue);
  if (enqueue) connection_->Enqueue(state_);
  return taken;
}

uint64_t Session::next_seq() const { return state_->next_seq(); }
uint64_t Session::answered_seq() const { return state_->answered_seq(); }

void Session::Delivered(uint64_t seq) {
  bool enqueue = false;
  state_->Delivered(seq, enqueue);
  if (enqueue) connection_->Enqueue(state_);
}

absl::Status Session::Flush() { return state_->Flush(); }

absl::Status Session::Close(bool delete_session) {
  bool enqueue = false;
  const absl::Status status = state_->Close(delete_session, enqueue);
  if (enqueue) connection_->Enqueue(state_);
  return status.ok() ? state_->WaitClosed() : status;
}

absl::Status Session::status() const { return state_->status(); }

}  // namespace aaren::client
