#include "tests/server/simulation/rival.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"

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

Rival::Rival(Fate& fate, Cluster& cluster, const std::vector<Series>& series, std::vector<std::string> owned)
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
      return fate_.OneIn(8) ? OpenOwned() : Open();
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
  Asked asked;
  asked.series = &series_[fate_.Draw(series_.size())];
  asked.reach = asked.series->DrawReach(fate_);
  const Series& series = *asked.series;
  const engine::Extension& extension = series.rows().extension;
  v1::ClientItem item;
  v1::Open& open = *item.mutable_open();
  open.set_handle(static_cast<uint32_t>(fate_.Draw(kHandles)));
  open.set_session_id(AnyId());
  open.set_model(series.model());
  if (series.has_events() && fate_.OneIn(2)) open.mutable_output()->mutable_events()->set_overdue(0.5f);
  if (fate_.OneIn(4)) open.set_mode(static_cast<v1::Open::Mode>(fate_.Draw(3)));
  if (fate_.OneIn(2)) open.set_delivered_seq(fate_.Draw(series.size()));
  open.set_durability(static_cast<v1::Open::Durability>(fate_.Draw(4)));
  const engine::Selection& selection = series.selection(asked.reach);
  open.mutable_output()->mutable_horizons()->Add(selection.steps.begin(), selection.steps.end());
  open.mutable_output()->mutable_quantiles()->Add(selection.levels.begin(), selection.levels.end());
  asked.covariates = extension.covariates() > 0 && (open.mode() != v1::Open::RESUME || fate_.OneIn(2));
  if (asked.covariates) {
    open.mutable_covariates()->set_past(extension.past);
    open.mutable_covariates()->set_future(extension.future);
    if (extension.profile) open.set_profile(true);
  }
  Send(std::move(item), asked);
}

// No session has eight past covariates.
void Rival::OpenOwned() {
  v1::ClientItem item;
  v1::Open& open = *item.mutable_open();
  open.set_handle(kHandles);
  open.set_session_id(owned_[fate_.Draw(owned_.size())]);
  open.set_mode(v1::Open::RESUME);
  open.mutable_covariates()->set_past(8);
  Send(std::move(item), {.series = &series_[0], .reach = Reach::kNear, .covariates = true, .owned = true});
}

void Rival::Send(v1::ClientItem item, const Asked& asked) {
  item.mutable_open()->set_number(++opens_);
  asked_[opens_] = asked;
  Hold& hold = holds_[item.open().handle()];
  hold.sent = asked;
  hold.next_seq = 0;
  link_->Send(item);
}

void Rival::Tokens() {
  const auto handle = static_cast<uint32_t>(fate_.Draw(kHandles));
  Hold& hold = holds_[handle];
  const Series& series = hold.sent.series != nullptr ? *hold.sent.series : series_[0];
  uint64_t from = hold.next_seq;
  if (fate_.OneIn(6)) from = fate_.Draw(series.size());
  const uint64_t end = std::min<uint64_t>(series.size(), from + fate_.Draw(12));
  if (end < from) return;
  v1::ClientItem item;
  v1::Tokens& tokens = *item.mutable_tokens();
  tokens.set_handle(handle);
  tokens.set_first_seq(from);
  const auto add = [](const auto& numbers, auto& field) { field.Add(numbers.begin(), numbers.end()); };
  fate_.OneIn(3) ? add(series.values(from, end), *tokens.mutable_doubles())
                 : add(series.values(from, end), *tokens.mutable_values());
  add(series.marks(from, end), *tokens.mutable_marks());
  add(series.times(from, end), *tokens.mutable_times_ns());
  add(series.covariates(from, end), *tokens.mutable_covariates());
  add(series.future_values(from, end, hold.sent.reach), *tokens.mutable_future_values());
  tokens.set_silent(fate_.OneIn(5));
  if (fate_.OneIn(3)) tokens.set_delivered_seq(fate_.Draw(from + 1));
  link_->Send(item);
  hold.next_seq = end;
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
  if (item->has_opened()) CheckOpened(item->opened());
  if (item->has_failed()) CheckFailed(item->failed());
  if (item->has_forecasts()) Check(item->forecasts());
  if (item->has_overdue() && item->overdue().next_seq() == 0) fate_.Accuse("rival: the first event is overdue");
}

// The Open of a session that exists may leave the rows to the session.
void Rival::CheckOpened(const v1::Opened& opened) {
  Asked asked = asked_[opened.number()];
  if (asked.owned) return fate_.Accuse("rival: a host's session was opened with covariates it has not");
  const auto has_tier = [&](const Series& series) { return series.tier() == opened.tier(); };
  const auto has = std::find_if(series_.begin(), series_.end(), has_tier);
  if (has == series_.end()) return fate_.Accuse("rival: opened in tier ", opened.tier());
  const task::RowForm &rows = has->rows(), &wanted = asked.series->rows();
  if ((asked.covariates && rows.extension != wanted.extension) || (asked.reach == Reach::kFar && !rows.extended) ||
      (opened.created() && has->tier() != asked.series->tier())) {
    return fate_.Accuse("rival: asked for ", asked.series->tier(), " and opened in tier ", opened.tier());
  }
  asked.series = &*has;
  Hold& hold = holds_[opened.handle()];
  hold = {opened.next_seq(), asked, asked};
}

// An Open is refused by the name of the field that does not fit the rows.
void Rival::CheckFailed(const v1::Failed& failed) {
  holds_[failed.handle()].next_seq = failed.expected_seq();
  if (!failed.has_open_number()) return;
  const std::string& message = failed.status().message();
  if (failed.status().code() != static_cast<int>(absl::StatusCode::kInvalidArgument) ||
      absl::StartsWith(message, "open.handle: ")) {
    return;
  }
  const bool by_name =
      absl::StartsWith(message, "open.covariates: ") || absl::StartsWith(message, "open.output.horizons[");
  const bool may_differ = series_.size() > 1 || asked_[failed.open_number()].owned;
  if (!by_name || !may_differ) return fate_.Accuse("rival: an Open is refused: ", message);
  ++refused_;
}

void Rival::Check(const v1::Forecasts& forecasts) {
  const auto results = static_cast<uint64_t>(forecasts.times_ns_size());
  const Asked& asked = holds_[forecasts.handle()].answered;
  if (asked.series == nullptr) return fate_.Accuse("rival: forecasts of a session that is not open");
  const Series& series = *asked.series;
  const size_t width = series.width(asked.reach);
  const absl::Span<const float> values(forecasts.values().data(), static_cast<size_t>(forecasts.values_size()));
  for (uint64_t i = 0; i < results; ++i) {
    const uint64_t seq = forecasts.first_seq() + i;
    if (!series.IsForecast(seq, asked.reach, values.subspan(i * width, width))) {
      return fate_.Accuse("rival: forecast ", seq, " has wrong bits");
    }
    if (forecasts.times_ns(static_cast<int>(i)) != series.time_ns(seq)) {
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
