#include "tests/e2e/oracle/witness.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/e2e/oracle/expectation.h"

namespace aaren::oracle {

Witness::Witness(std::string id, uint32_t session, uint64_t first, Account& account, Journal* journal)
    : id_(std::move(id)), session_(session), account_(account), journal_(journal), next_(first) {}

void Witness::Foretell(uint64_t digest, int64_t due) {
  absl::MutexLock lock(&mutex_);
  foretold_.push_back({digest, due});
}

size_t Witness::awaited() const {
  absl::MutexLock lock(&mutex_);
  return foretold_.size();
}

int64_t Witness::waiting_since() const {
  absl::MutexLock lock(&mutex_);
  if (foretold_.empty()) return std::numeric_limits<int64_t>::max();
  return std::max(heard_, foretold_.front().due);
}

bool Witness::opened() const {
  absl::MutexLock lock(&mutex_);
  return opens_ > 0;
}

void Witness::Dismiss() {
  absl::MutexLock lock(&mutex_);
  dismissed_ = true;
}

void Witness::OnOpened(client::Session&, const client::Opened& opened) {
  absl::MutexLock lock(&mutex_);
  if (++opens_ > 1) account_.Reopened(next_ - std::min(next_, opened.next_seq));
}

void Witness::OnForecast(client::Session&, const client::Forecast& forecast) {
  const int64_t now = Now();
  absl::MutexLock lock(&mutex_);
  if (forecast.seq != next_) {
    const char* how = forecast.seq < next_ ? "came twice" : "came though one before it is missing";
    return account_.Break(
        {absl::StrCat(id_, ": the forecast of token ", forecast.seq, " ", how, "; that of token ", next_, " was due")});
  }
  if (foretold_.empty()) {
    return account_.Break({absl::StrCat(id_, ": a forecast of token ", next_, ", which was not sent")});
  }
  const Foretold foretold = foretold_.front();
  if (DigestOf(forecast.values) != foretold.digest) {
    return account_.Break({absl::StrCat(id_, ": the forecast of token ", next_, " has other bits than expected"),
                           session_, next_, std::vector<float>(forecast.values.begin(), forecast.values.end())});
  }
  foretold_.pop_front();
  account_.Forecast(now - foretold.due);
  if (heard_ != 0) account_.Gap(id_, now - heard_);
  heard_ = now;
  if (journal_ != nullptr) journal_->Add(session_, static_cast<uint32_t>(next_));
  ++next_;
}

// The journal is written before the server is told of the journal's forecasts as delivered.
void Witness::OnProgress(client::Session& session, uint64_t, uint64_t) {
  if (journal_ == nullptr) return;
  if (const absl::Status written = journal_->Write(); !written.ok()) return account_.Break({written.ToString()});
  uint64_t delivered;
  {
    absl::MutexLock lock(&mutex_);
    delivered = next_;
  }
  session.Delivered(delivered);
}

bool Witness::OnRewind(client::Session&, uint64_t seq) {
  account_.Break({absl::StrCat(id_, ": tokens from ", seq, " on are wanted again, though they were durable")});
  return false;
}

void Witness::OnLost(client::Session&, const client::Loss& loss) {
  account_.Break({loss.session ? absl::StrCat(id_, ": the session was lost")
                               : absl::StrCat(id_, ": the forecasts of tokens ", loss.begin_seq, " .. ",
                                              loss.end_seq - 1, " were lost")});
}

void Witness::OnEnded(client::Session&, const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (dismissed_ && (status.ok() || absl::IsCancelled(status))) return;
  account_.Break({absl::StrCat(id_, ": the session ended: ", status.ToString())});
}

}  // namespace aaren::oracle
