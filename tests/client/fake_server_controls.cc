// The controls and the counts of a FakeServer.

#include <utility>

#include "google/rpc/error_details.pb.h"
#include "tests/client/fake_server.h"
#include "tests/client/fake_services.h"

namespace aaren {
void FakeServer::CutAt(const std::set<int>& messages) {
  absl::MutexLock lock(&mutex_);
  token_messages_ = 0;
  cuts_ = messages;
}

void FakeServer::LoseNextClosed() {
  absl::MutexLock lock(&mutex_);
  lose_closed_ = true;
}

void FakeServer::FailNextTokens(int code, const std::string& message, const std::string& reason, int items) {
  absl::MutexLock lock(&mutex_);
  fail_tokens_ = RpcStatus(code, message);
  tokens_to_fail_ = items;
  if (reason.empty()) return;
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  fail_tokens_.add_details()->PackFrom(info);
}

void FakeServer::FailNextOpen(int code, const std::string& message, int retry_ms, int opens) {
  absl::MutexLock lock(&mutex_);
  fail_open_ = RpcStatus(code, message);
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

int FakeServer::largest_opens() const {
  absl::MutexLock lock(&mutex_);
  return largest_opens_;
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

v1::Covariates FakeServer::covariates(const std::string& id) const {
  absl::MutexLock lock(&mutex_);
  return sessions_.at(id).covariates;
}

}  // namespace aaren
