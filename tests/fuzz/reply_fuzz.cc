// A server's words on a stream. A client's session that sends tokens meanwhile hears forecasts of the announced shape,
// each token's once and in order, with possible numbers; aaren load reads the same bytes in its own way.

#include <cmath>
#include <memory>
#include <string>

#include "client/cpp/messages/message_builder.h"
#include "client/cpp/messages/values.h"
#include "client/cpp/session/session_state.h"
#include "client/load/wire.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

constexpr uint32_t kChannels = 2;

// A session's callbacks name their Session, unused here.
union Unborn {
  Unborn() {}
  ~Unborn() {}
  client::Session session;
};
Unborn unborn;

class Judge : public client::Listener {
 public:
  void OnOpened(client::Session&, const client::Opened& opened) override {
    Must(opened.channels == kChannels, "the session was opened with other channels than it asked for");
    Must(!opened.model.quantiles.empty() && opened.model.horizon > 0, "a model that forecasts nothing");
    levels_ = opened.model.quantiles.size();
    steps_ = opened.model.horizon;
  }
  void OnForecast(client::Session&, const client::Forecast& forecast) override {
    Must(!any_ || forecast.seq > last_, "a forecast that came before");
    any_ = true;
    last_ = forecast.seq;
    Must(forecast.quantiles.size() == levels_ && forecast.horizons.size() == steps_,
         "levels or steps of another model");
    Must(forecast.values.size() == kChannels * steps_ * levels_, "a forecast of another shape");
    Must(forecast.surprise.empty() || forecast.surprise.size() == kChannels, "surprises of another shape");
    for (const float surprise : forecast.surprise) {
      Must(std::isnan(surprise) || (surprise >= 0 && surprise <= 1), "a surprise that is none");
    }
    Must(forecast.step_ns >= 0, "time goes back");
  }
  bool OnRewind(client::Session&, uint64_t) override { return true; }
  void OnEnded(client::Session&, const absl::Status&) override { ended_ = true; }

  bool ended() const { return ended_; }

 private:
  size_t levels_ = 0, steps_ = 0;
  uint64_t last_ = 0;
  bool any_ = false, ended_ = false;
};

void Hear(const v1::ServerItem& item, client::SessionState& state) {
  if (item.has_opened()) state.OnOpened(item.opened());
  if (item.has_forecasts()) state.OnForecasts(item.forecasts());
  if (item.has_acked()) state.OnAcked(item.acked());
  if (item.has_closed()) state.OnClosed(item.closed());
  if (item.has_failed()) state.OnFailed(item.failed());
}

class Nobody : public client::ReplyHandler {
  void OnProgress(uint32_t, uint64_t) override {}
  void OnItem(const v1::ServerItem&) override {}
};

void ReadAsLoadDoes(absl::string_view bytes) {
  grpc::Slice slice(bytes.data(), bytes.size());
  grpc::ByteBuffer buffer(&slice, 1);
  Nobody nobody;
  (void)client::ReadReply(buffer, nobody);
}

}  // namespace

void RunReply(absl::string_view bytes) {
  ReadAsLoadDoes(bytes);
  v1::ServerMessage message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  Judge judge;
  client::SessionState state({.id = "a", .channels = kChannels}, unborn.session, judge, "HOST:1");
  state.Attach(/*handle=*/0, /*writer=*/1, /*open_number=*/1);
  v1::Limits limits;
  limits.set_in_flight_tokens(64);
  limits.set_tokens_per_item(16);
  client::MessageBuilder builder;
  builder.set_capacity(1 << 16);
  for (const v1::ServerItem& item : message.items()) {
    if (item.has_welcome()) (void)client::ToLimits(item.welcome(), "HOST:1");
    builder.Clear();
    state.Fill(limits, builder);
    Hear(item, state);
    if (judge.ended()) return;
    const float values[] = {1, 2, 3, 4};
    (void)state.Send(state.next_seq(), {.values = values}, client::SessionState::Patience::kNone);
  }
}

}  // namespace aaren::fuzz
