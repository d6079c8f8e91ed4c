#include "tests/server/simulation/host.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aaren::simulation {
namespace {

// A session's callbacks name their Session, unused by the applications here.
union Unborn {
  Unborn() {}
  ~Unborn() {}
  client::Session session;
};
Unborn unborn;

v1::Limits Limits() {
  v1::Limits limits;
  limits.set_message_bytes(1 << 20);
  limits.set_tokens_per_item(16);
  limits.set_in_flight_tokens(64);
  return limits;
}

}  // namespace

Track::Track(Fate& fate, std::string id, const Series& series, bool manual, client::Durability durability)
    : fate_(fate), id_(std::move(id)), series_(series), manual_(manual), durability_(durability) {
  Begin();
}

void Track::Begin() {
  reach_ = series_.DrawReach(fate_);
  client::SessionOptions options;
  options.id = id_;
  options.model = series_.model();
  const engine::Extension& extension = series_.rows().extension;
  options.covariates = {extension.past, extension.future};
  options.profile = extension.profile;
  options.output.horizons = series_.selection(reach_).steps;
  options.output.quantiles = series_.selection(reach_).levels;
  options.delivered_seq = received_ = delivered_;
  options.window = 32;
  options.durability = durability_;
  options.delivery = manual_ ? client::Delivery::kManual : client::Delivery::kAutomatic;
  options.open_timeout = absl::ZeroDuration();  // without room the application asks again, and soon
  state_ = std::make_unique<client::SessionState>(std::move(options), unborn.session, *this);
  closing_ = ended_ = false;
}

bool Track::Turn() {
  using State = client::SessionState;
  State::Ready ready = State::Ready::kNo;
  const uint64_t next = state_->next_seq();
  if (closing_ && next < series_.size()) {  // the server wants tokens again
    closing_ = false;
    if (state_->WaitClosed().ok()) fate_.Accuse(id_, ": closed, but for tokens from ", next);
  }
  if (manual_ && received_ > delivered_ && fate_.OneIn(3)) {
    delivered_ += 1 + fate_.Draw(received_ - delivered_);
    ready = state_->Delivered(delivered_);
  } else if (next < series_.size()) {
    const uint64_t end = std::min<uint64_t>(series_.size(), next + 1 + fate_.Draw(8));
    const client::TokenBatch tokens = {.values = series_.values(next, end),
                                       .times_ns = series_.times(next, end),
                                       .marks = series_.marks(next, end),
                                       .future_values = series_.future_values(next, end, reach_),
                                       .covariates = series_.covariates(next, end)};
    const auto sent = state_->Send(next, tokens, State::Patience::kNone);
    if (sent.ok()) ready = sent->ready;
  } else if (delivered_ == series_.size() && !closing_) {
    const auto closing = state_->Close(State::Ending::kKeep);
    closing_ = closing.ok();
    if (closing_) ready = *closing;
  }
  return ready == State::Ready::kYes;
}

void Track::Check(const client::Forecast& forecast) {
  const uint64_t seq = forecast.seq;
  if (seq != received_) return fate_.Accuse(id_, ": forecast ", seq, " came when ", received_, " was due");
  if (!series_.IsForecast(seq, reach_, forecast.values)) {
    return fate_.Accuse(id_, ": forecast ", seq, " has wrong bits");
  }
  if (forecast.time_ns != series_.time_ns(seq)) fate_.Accuse(id_, ": forecast ", seq, " has another time");
  if (forecast.step_ns != series_.step_ns(seq)) {
    fate_.Accuse(id_, ": forecast ", seq, " has step ", forecast.step_ns, ", not ", series_.step_ns(seq));
  }
}

void Track::OnForecast(client::Session&, const client::Forecast& forecast) {
  Check(forecast);
  received_ = forecast.seq + 1;
  if (!manual_) delivered_ = received_;
}

void Track::OnOpened(client::Session&, const client::Opened& opened) {
  if (opened.durability != durability_) fate_.Accuse(id_, ": opened with another durability");
  if (opened.next_seq < Promised()) {
    fate_.Accuse(id_, ": tokens from ", opened.next_seq, " are wanted again, those below ", Promised(),
                 " were durable");
  }
  durable_ = std::max(durable_, opened.durable_seq);
}

void Track::Opens(bool contested) {
  contested_ = contested;
  open_delivered_ = delivered_;
  // This Open, even if read late, takes the session back to delivered_, and voids later promises.
  told_.erase(told_.upper_bound(delivered_), told_.end());
}

uint64_t Track::Promised() const {
  if (durability_ != client::Durability::kEveryToken) return durable_;
  if (doubted_) return 0;
  const auto above = told_.upper_bound(open_delivered_);
  return above == told_.begin() ? 0 : *std::prev(above);
}

void Track::OnProgress(client::Session&, uint64_t next_seq, uint64_t durable_seq) {
  durable_ = std::max(durable_, durable_seq);
  told_.insert(durable_seq);
  if (durability_ == client::Durability::kEveryToken && durable_seq < next_seq) {
    fate_.Accuse(id_, ": tokens below ", next_seq, " are answered, and only those below ", durable_seq, " saved");
  }
}

// A process begun after the server's last save reads its source again.
bool Track::OnRewind(client::Session&, uint64_t) { return true; }

void Track::OnLost(client::Session&, const client::Loss& loss) {
  if (durability_ == client::Durability::kNone && !loss.session && loss.begin_seq == received_) {
    received_ = loss.end_seq;
    if (!manual_) delivered_ = received_;
    return;
  }
  fate_.Accuse(id_, ": lost ", loss.session ? "the session" : absl::StrCat(loss.begin_seq, " .. ", loss.end_seq));
}

void Track::OnEnded(client::Session&, const absl::Status& status) {
  fate_.Tell("session  ", id_, " ended: ", status.ToString(), "; delivered ", delivered_);
  ended_ = true;
  finished_ = status.ok() && delivered_ == series_.size();
  if (absl::IsAborted(status) && !contested_) fate_.Accuse(id_, ": taken from its only writer: ", status.ToString());
  if (status.ok() || absl::IsAborted(status) || absl::IsResourceExhausted(status)) return;
  fate_.Accuse(id_, ": ended with ", status.ToString());
}

Host::Host(Fate& fate, Cluster& cluster, std::vector<std::unique_ptr<Track>> tracks)
    : fate_(fate), cluster_(cluster), tracks_(std::move(tracks)), writer_(1 + fate.Draw(UINT64_MAX)) {
  builder_.set_capacity(4096);
}

bool Host::finished() const {
  return std::all_of(tracks_.begin(), tracks_.end(), [](const auto& track) { return track->finished(); });
}

void Host::Connect() {
  static constexpr int kNumbered = 1000;  // a link's number is unique within a run
  const int number = static_cast<int>(fate_.moments()) % (kNumbered * kNumbered);
  link_ = std::make_unique<Link>(fate_, cluster_, static_cast<int>(fate_.Draw(cluster_.shards())), number);
  handles_.clear();
  ready_.clear();
  retries_.clear();
  next_handle_ = 0;
  heard_ = false;
  for (const auto& track : tracks_) {
    if (!track->finished()) Attach(*track);
  }
}

void Host::Attach(Track& track) {
  track.Opens(!orphans_.empty());
  track.state().Attach(next_handle_, writer_, ++opens_);
  handles_[next_handle_++] = &track;
  ready_.push_back(&track);
}

void Host::Leave() {
  link_->Cut();
  old_links_.push_back(std::move(link_));
}

void Host::Die() {
  fate_.Tell("process  dies");
  if (link_) Leave();
  std::move(old_links_.begin(), old_links_.end(), std::back_inserter(orphans_));
  old_links_.clear();
  writer_ = 1 + fate_.Draw(UINT64_MAX);
  opens_ = 0;
  for (const auto& track : tracks_) {
    track->Doubt();
    if (!track->finished()) track->Begin();
  }
}

void Host::LoseServer() {
  if (link_) link_->LoseServer();
  old_links_.clear();
  orphans_.clear();
}

bool Host::DeliverOne(std::vector<std::unique_ptr<Link>>& links, uint64_t pick) {
  const bool delivered = links[pick]->Deliver();
  if (links[pick]->over()) links.erase(links.begin() + static_cast<ptrdiff_t>(pick));
  return delivered;
}

// Left streams are read late, after their successors.
bool Host::Deliver() {
  if (link_ && !fate_.OneIn(8)) return link_->Deliver();
  const uint64_t pick = fate_.Draw(old_links_.size() + orphans_.size() + 1);
  if (pick < old_links_.size()) return DeliverOne(old_links_, pick);
  if (pick < old_links_.size() + orphans_.size()) return DeliverOne(orphans_, pick - old_links_.size());
  return link_ && link_->Deliver();
}

void Host::Turn() {
  if (finished()) {
    if (link_) Leave();
    return;
  }
  if (!calm_ && fate_.OneIn(700)) return Die();
  if (!link_) return fate_.OneIn(4) ? Connect() : void();
  if (link_->lost()) {
    for (const auto& track : tracks_) {
      if (!track->ended()) track->state().OnDisconnected(absl::UnavailableError("the server has gone"));
    }
    old_links_.push_back(std::move(link_));
    old_links_.back()->Cut();
    return;
  }
  if (!calm_ && fate_.OneIn(CutOneIn())) {
    Leave();
    for (const auto& track : tracks_) {
      if (!track->ended()) track->state().OnDisconnected(absl::UnavailableError("cut"));
    }
    return;
  }
  switch (fate_.Draw(3)) {
    case 0:
      return Receive();
    case 1:
      return Fill();
    default:
      return Work();
  }
}

void Host::Receive() {
  const std::optional<v1::ServerItem> item = link_->Receive();
  if (!item) return;
  heard_ = true;
  Dispatch(*item);
}

void Host::Fill() {
  while (!retries_.empty() && retries_.front().first <= fate_.NowNanos()) {
    Track& track = *retries_.front().second;
    retries_.pop_front();
    Attach(track);
  }
  if (ready_.empty()) return;
  Track* track = ready_.front();
  ready_.pop_front();
  if (track->ended()) return;
  builder_.Clear();
  if (track->state().Fill(Limits(), builder_)) ready_.push_back(track);
  for (const v1::ClientItem& item : builder_.message().items()) link_->Send(item);
}

void Host::Work() {
  Track& track = *tracks_[fate_.Draw(tracks_.size())];
  if (track.finished()) return;
  if (track.ended()) return Restart(track);
  if (track.Turn()) ready_.push_back(&track);
}

// The application opens its session again, after another writer took it or room lacked.
void Host::Restart(Track& track) {
  ready_.erase(std::remove(ready_.begin(), ready_.end(), &track), ready_.end());
  for (auto it = handles_.begin(); it != handles_.end();)
    it = it->second == &track ? handles_.erase(it) : std::next(it);
  track.Begin();
  Attach(track);
}

Track* Host::At(uint32_t handle) {
  const auto found = handles_.find(handle);
  return found == handles_.end() || found->second->ended() ? nullptr : found->second;
}

void Host::Handle(Track& track, const client::SessionState::Next& next) {
  if (next.ready == client::SessionState::Ready::kYes) ready_.push_back(&track);
  if (next.close) {
    v1::ClientItem item;
    item.mutable_close()->set_handle(track.state().handle());
    item.mutable_close()->set_delivered_seq(track.state().delivered_seq());
    link_->Send(item);
  }
  if (next.ended || next.retry > absl::ZeroDuration()) handles_.erase(track.state().handle());
  if (next.retry > absl::ZeroDuration()) {
    retries_.emplace_back(fate_.NowNanos() + absl::ToInt64Nanoseconds(next.retry), &track);
  }
}

void Host::Dispatch(const v1::ServerItem& item) {
  if (item.has_opened()) {
    if (Track* track = At(item.opened().handle())) Handle(*track, track->state().OnOpened(item.opened()));
  } else if (item.has_forecasts()) {
    if (Track* track = At(item.forecasts().handle())) Handle(*track, track->state().OnForecasts(item.forecasts()));
  } else if (item.has_acked()) {
    if (Track* track = At(item.acked().handle())) Handle(*track, track->state().OnAcked(item.acked()));
  } else if (item.has_closed()) {
    if (Track* track = At(item.closed().handle())) Handle(*track, track->state().OnClosed(item.closed()));
  } else if (item.has_failed()) {
    if (Track* track = At(item.failed().handle())) {
      Handle(*track, track->state().OnFailed(item.failed()));
    }
  }
}

}  // namespace aaren::simulation
