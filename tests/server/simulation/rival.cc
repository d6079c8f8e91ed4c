#include "tests/server/simulation/rival.h"

#include <algorithm>
#include <utility>

namespace aaren::simulation {
namespace {

constexpr uint64_t kIds = 4;
constexpr uint32_t kHandles = 3;

bool Expected(const session::Refusal& refusal) {
  switch (refusal.status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

}  // namespace

Rival::Rival(Fate& fate, Cluster& cluster, const Series& series, std::vector<std::string> owned)
    : fate_(fate), cluster_(cluster), series_(series), owned_(std::move(owned)) {}

std::string Rival::AnyId() { return absl::StrCat("contested-", fate_.Draw(kIds)); }

void Rival::Connect() {
  link_ = std::make_unique<Link>(fate_, cluster_, static_cast<int>(fate_.Draw(cluster_.shards())),
                                 static_cast<int>(fate_.moments()));
  holds_.clear();
}

void Rival::Leave() {
  if (!link_) return;
  link_->Cut();
  old_links_.push_back(std::move(link_));
}

void Rival::LoseServer() {
  if (link_) link_->LoseServer();
  link_.reset();
  old_links_.clear();
}

bool Rival::Deliver() {
  const uint64_t pick = fate_.Draw(old_links_.size() + 1);
  if (pick == old_links_.size()) return link_ && link_->Deliver();
  const bool delivered = old_links_[pick]->Deliver();
  if (old_links_[pick]->over()) old_links_.erase(old_links_.begin() + static_cast<ptrdiff_t>(pick));
  return delivered;
}

void Rival::Turn() {
  if (fate_.OneIn(15)) return Ask();
  if (!link_) return fate_.OneIn(3) ? Connect() : void();
  if (link_->lost() || fate_.OneIn(60)) return Leave();
  switch (fate_.Draw(6)) {
    case 0:
      return Open();
    case 1:
    case 2:
      return Tokens();
    case 3:
      return fate_.OneIn(3) ? Close() : void();
    default:
      return Receive();
  }
}

void Rival::Open() {
  const auto handle = static_cast<uint32_t>(fate_.Draw(kHandles));
  v1::ClientItem item;
  v1::Open& open = *item.mutable_open();
  open.set_handle(handle);
  open.set_session_id(AnyId());
  open.set_model(series_.model());
  if (series_.has_events() && fate_.OneIn(2)) open.mutable_output()->mutable_events()->set_overdue(0.5f);
  if (fate_.OneIn(4)) open.set_mode(static_cast<v1::Open::Mode>(fate_.Draw(3)));
  if (fate_.OneIn(2)) open.set_delivered_seq(fate_.Draw(series_.size()));
  open.set_durability(static_cast<v1::Open::Durability>(fate_.Draw(4)));
  link_->Send(item);
  holds_[handle] = {};
}

void Rival::Tokens() {
  const auto handle = static_cast<uint32_t>(fate_.Draw(kHandles));
  uint64_t from = holds_[handle].next_seq;
  if (fate_.OneIn(6)) from = fate_.Draw(series_.size());
  const uint64_t end = std::min<uint64_t>(series_.size(), from + fate_.Draw(12));
  if (end < from) return;
  v1::ClientItem item;
  v1::Tokens& tokens = *item.mutable_tokens();
  tokens.set_handle(handle);
  tokens.set_first_seq(from);
  for (uint64_t seq = from; seq < end; ++seq) {
    series_.has_events() ? tokens.add_marks(series_.mark(seq)) : tokens.add_values(series_.value(seq));
    tokens.add_times_ns(series_.time_ns(seq));
  }
  tokens.set_silent(fate_.OneIn(5));
  if (fate_.OneIn(3)) tokens.set_delivered_seq(fate_.Draw(from + 1));
  link_->Send(item);
  holds_[handle].next_seq = end;
}

void Rival::Close() {
  v1::ClientItem item;
  item.mutable_close()->set_handle(static_cast<uint32_t>(fate_.Draw(kHandles)));
  item.mutable_close()->set_delete_session(fate_.OneIn(3));
  link_->Send(item);
}

void Rival::Receive() {
  const std::optional<v1::ServerItem> item = link_->Receive();
  if (!item) return;
  if (item->has_opened()) holds_[item->opened().handle()] = {true, item->opened().next_seq()};
  if (item->has_failed()) holds_[item->failed().handle()].next_seq = item->failed().expected_seq();
  if (item->has_forecasts()) Check(item->forecasts());
  if (item->has_overdue() && item->overdue().next_seq() == 0) fate_.Accuse("rival: the first event is overdue");
}

void Rival::Check(const v1::Forecasts& forecasts) {
  const auto results = static_cast<uint64_t>(forecasts.times_ns_size());
  const size_t width = series_.width();
  const absl::Span<const float> values(forecasts.values().data(), static_cast<size_t>(forecasts.values_size()));
  for (uint64_t i = 0; i < results; ++i) {
    const uint64_t seq = forecasts.first_seq() + i;
    if (!series_.IsForecast(seq, values.subspan(i * width, width))) {
      return fate_.Accuse("rival: forecast ", seq, " has wrong bits");
    }
    if (forecasts.times_ns(static_cast<int>(i)) != series_.time_ns(seq)) {
      return fate_.Accuse("rival: forecast ", seq, " has another time");
    }
  }
}

// Answers may come after this rival's end: the callbacks own everything they need.
void Rival::Ask() {
  registrar::Registrar& registrar = cluster_.registrar();
  const std::string id = AnyId();
  const auto judge = [&fate = fate_](const char* what, const std::optional<session::Refusal>& refusal) {
    if (refusal && !Expected(*refusal)) fate.Accuse(what, ": ", refusal->status.ToString());
  };
  switch (fate_.Draw(7)) {
    case 0:
      fate_.Tell("unary    Export ", id);
      return registrar.Export("default", id,
                              [judge, snapshot = snapshot_](session::Outcome<registrar::Snapshot> outcome) {
                                judge("Export", outcome.refusal);
                                if (!outcome.refusal) *snapshot = outcome.value.bytes;
                              });
    case 1:
      if (snapshot_->empty()) return;
      fate_.Tell("unary    Import ", id);
      return registrar.Import(
          "default", id,
          {.snapshot = *snapshot_, .model = "", .over = {.replace = fate_.OneIn(2), .epoch = {}, .account = nullptr}},
          [judge](session::Outcome<session::SessionInfo> outcome) { judge("Import", outcome.refusal); });
    case 2: {
      const std::string to = AnyId();
      fate_.Tell("unary    Fork ", id, " to ", to);
      return registrar.Fork("default", id, to, nullptr, [judge](session::Outcome<session::SessionInfo> outcome) {
        judge("Fork", outcome.refusal);
      });
    }
    case 3:
      if (!fate_.OneIn(3)) return;
      fate_.Tell("unary    Delete ", id);
      return registrar.Delete("default", id, {},
                              [judge](session::Outcome<std::monostate> outcome) { judge("Delete", outcome.refusal); });
    case 4:
      return registrar.List(
          "default", "", "", 1 + fate_.Draw(5),
          [judge](session::Outcome<registrar::SessionPage> outcome) { judge("List", outcome.refusal); });
    default: {
      const std::string& owned = owned_[fate_.Draw(owned_.size())];
      if (fate_.OneIn(2)) {
        fate_.Tell("unary    Export ", owned);
        return registrar.Export("default", owned, [judge](session::Outcome<registrar::Snapshot> outcome) {
          judge("Export", outcome.refusal);
        });
      }
      return registrar.Get("default", owned,
                           [judge](session::Outcome<session::SessionInfo> outcome) { judge("Get", outcome.refusal); });
    }
  }
}

}  // namespace aaren::simulation
