#include "tests/e2e/oracle/trial.h"

#include <bit>
#include <cstdio>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/notification.h"

namespace aaren::oracle {
namespace {

constexpr size_t kMostAwaited = 1024;  // for a session: the client library's window
constexpr int64_t kSecond = 1'000'000'000;
constexpr absl::Duration kTick = absl::Milliseconds(1);
// Without this limit, the client would leave servers killed early alone for seconds, and most kills would meet no
// stream.
constexpr absl::Duration kLongestBackoff = absl::Milliseconds(250);

int64_t Nanos(absl::Duration duration) { return absl::ToInt64Nanoseconds(duration); }

}  // namespace

// Witnesses outlive their callers.
Trial::~Trial() {
  for (Member& member : members_) member.session.reset();
  client_.reset();
}

absl::Status Trial::Begin() {
  auto expectation = Expectation::Load(options_.package, options_.seed, options_.sessions);
  if (!expectation.ok()) return expectation.status();
  expectation_ = *std::move(expectation);
  members_.resize(options_.sessions);
  if (!options_.journal.empty()) {
    auto journal = Journal::Open(options_.journal, options_.sessions);
    if (!journal.ok()) return journal.status();
    journal_ = *std::move(journal);
    for (size_t i = 0; i < members_.size(); ++i) members_[i].first = journal_->delivered()[i];
    Recall();
  }
  return OpenSessions();
}

// Takes the rows to where an earlier life was.
void Trial::Recall() {
  std::vector<Expectation::Token> tokens;
  do {
    tokens.clear();
    for (size_t i = 0; i < members_.size(); ++i) {
      if (expectation_->folded(i) < members_[i].first) tokens.push_back({.session = i});
    }
    expectation_->Step(absl::MakeSpan(tokens));
  } while (!tokens.empty());
}

absl::Status Trial::OpenSessions() {
  client_ = std::make_unique<client::Client>(client::ClientOptions{.target = options_.target,
                                                                   .streams = options_.streams,
                                                                   .name = "aaren-oracle",
                                                                   .backoff = {.max = kLongestBackoff},
                                                                   .connect_timeout = options_.patience});
  for (size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    client::SessionOptions session{.id = absl::StrCat("oracle-", options_.seed, "-", i),
                                   .delivered_seq = member.first,
                                   .open_timeout = options_.patience};
    if (journal_ != nullptr) session.delivery = client::Delivery::kManual;
    member.witness =
        std::make_unique<Witness>(session.id, static_cast<uint32_t>(i), member.first, account_, journal_.get());
    auto opened = client_->Open(std::move(session), *member.witness);
    if (!opened.ok()) return opened.status();
    member.session = *std::move(opened);
  }
  return absl::OkStatus();
}

// The seq after the session's last due token, if `due` tokens of all sessions are due.
uint64_t Trial::DueOf(const Member& member, size_t index, uint64_t due) const {
  return member.first + (due + members_.size() - 1 - index) / members_.size();
}

int64_t Trial::DueTime(const Member& member, size_t index, uint64_t seq) const {
  const uint64_t token = (seq - member.first) * members_.size() + index;
  return began_ + static_cast<int64_t>(static_cast<double>(token) / options_.rate * kSecond);
}

absl::Status Trial::Run(const std::atomic<bool>& stop) {
  if (absl::Status status = Begin(); !status.ok()) return status;
  began_ = Now();
  next_watch_ = began_ + kSecond;
  Stream(stop);
  if (!account_.broken()) Finish();
  seconds_ = static_cast<double>(Now() - began_) / kSecond;
  return absl::OkStatus();
}

// Runs until told to stop, and then until every due token is answered.
void Trial::Stream(const std::atomic<bool>& stop) {
  const int64_t end = options_.duration == absl::InfiniteDuration() ? INT64_MAX : began_ + Nanos(options_.duration);
  int64_t until = INT64_MAX;
  while (!account_.broken()) {
    const int64_t now = Now();
    if (until == INT64_MAX && (stop || now >= end)) until = now;
    const double elapsed = static_cast<double>(std::min(now, until) - began_) / kSecond;
    const bool idle = Round(static_cast<uint64_t>(elapsed * options_.rate));
    if (now >= next_watch_) Watch();
    if (idle && until != INT64_MAX) return;
    absl::SleepFor(kTick);
  }
}

// Sends the due tokens of each session, a token of each in turn. True if all were sent and answered.
bool Trial::Round(uint64_t due) {
  bool idle = true;
  for (bool again = true; again && !account_.broken();) {
    again = false;
    std::vector<size_t> foretold;
    for (size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      const bool ready = expectation_->folded(i) < DueOf(member, i, due) && member.next >= expectation_->folded(i);
      if (ready && member.opened && member.witness->awaited() < kMostAwaited) foretold.push_back(i);
    }
    Foretell(foretold);
    for (size_t i = 0; i < members_.size(); ++i) again |= Send(i);
  }
  for (size_t i = 0; i < members_.size(); ++i) {
    idle &= expectation_->folded(i) >= DueOf(members_[i], i, due) && members_[i].witness->awaited() == 0;
  }
  return idle;
}

void Trial::Foretell(const std::vector<size_t>& members) {
  if (members.empty()) return;
  std::vector<Expectation::Token> tokens;
  for (const size_t i : members) tokens.push_back({.session = i});
  expectation_->Step(absl::MakeSpan(tokens));
  for (const Expectation::Token& token : tokens) {
    const uint64_t seq = expectation_->folded(token.session) - 1;
    Member& member = members_[token.session];
    member.witness->Foretell(token.digest, DueTime(member, token.session, seq));
  }
}

// Sends the next token of the session, once its forecast is foretold. True if sent.
bool Trial::Send(size_t index) {
  Member& member = members_[index];
  if (!member.opened) {
    if (!member.witness->opened()) return false;
    member.opened = true;
    member.next = member.session->next_seq();
  }
  if (member.next >= expectation_->folded(index)) return false;
  const float value = expectation_->Value(index, member.next);
  const auto sent = member.session->TrySend(member.next, {.values = absl::MakeConstSpan(&value, 1)});
  if (!sent.ok()) {
    account_.Break({absl::StrCat("token ", member.next, " was not taken: ", sent.status().ToString())});
    return false;
  }
  if (*sent == client::Admission::kFull) return false;
  ++member.next;
  return true;
}

// Breaks the trial if a session has waited for too long.
void Trial::Watch() {
  const int64_t now = Now();
  next_watch_ += kSecond;
  for (const Member& member : members_) {
    const int64_t since = member.opened ? member.witness->waiting_since() : began_;
    if (since == INT64_MAX || now - since < Nanos(options_.patience)) continue;
    return account_.Break(
        {absl::StrCat(member.witness->id(), ": no ", member.opened ? "forecast" : "answer to its Open", " for ",
                      absl::FormatDuration(options_.patience))});
  }
  if (options_.progress) Report();
}

void Trial::Report() {
  const client::DurationHistogram recent = account_.TakeRecent();
  absl::FPrintF(stderr, "%6.1f s: %d forecasts in the last second, p50 %.1f ms, p99 %.1f ms\n",
                static_cast<double>(Now() - began_) / kSecond, recent.count(),
                static_cast<double>(recent.Quantile(0.5)) / 1e6, static_cast<double>(recent.Quantile(0.99)) / 1e6);
}

void Trial::Finish() {
  for (Member& member : members_) member.witness->Dismiss();
  absl::Notification closed;
  std::thread closing([this, &closed] {
    for (Member& member : members_) {
      if (account_.broken()) break;
      const absl::Status status = member.session->Close();
      if (!status.ok()) account_.Break({absl::StrCat("a session did not close: ", status.ToString())});
    }
    closed.Notify();
  });
  if (!closed.WaitForNotificationWithTimeout(options_.patience)) {
    account_.Break({absl::StrCat("sessions were not closed for ", absl::FormatDuration(options_.patience))});
    client_.reset();  // ends the waiting Close
  }
  closing.join();
}

std::string Trial::BrokenPromise() const {
  const std::optional<Breach> breach = account_.breach();
  if (!breach) return "";
  std::string text = absl::StrCat("broken promise, seed ", options_.seed, ": ", breach->what);
  if (breach->came.empty()) return text;
  const std::vector<float> expected = expectation_->Forecast(breach->session, breach->seq);
  const size_t quantiles = expectation_->config().quantiles.size();
  if (expected.size() != breach->came.size()) {
    return absl::StrCat(text, ": ", breach->came.size(), " values, ", expected.size(), " expected");
  }
  size_t differ = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::bit_cast<uint32_t>(expected[i]) == std::bit_cast<uint32_t>(breach->came[i]) || differ++ > 0) continue;
    absl::StrAppendFormat(&text, "; step %d, quantile %d: %.9g came, %.9g expected", i / quantiles + 1, i % quantiles,
                          breach->came[i], expected[i]);
  }
  return absl::StrCat(text, "; ", differ, " of ", expected.size(), " values differ");
}

}  // namespace aaren::oracle
