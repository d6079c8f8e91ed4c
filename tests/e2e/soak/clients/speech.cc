#include "tests/e2e/soak/clients/speech.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::soak {
namespace {

// Breaks the item: the server must refuse it if its tokens are new. `from` is the expected token.
void Spoil(v1::Tokens& tokens, uint32_t channels, uint64_t from, Chance& chance) {
  const auto last = tokens.values_size() - 1;
  const bool timed = tokens.times_ns_size() > 1;
  switch (chance.Draw(4)) {
    case 0:
      tokens.set_values(last, std::numeric_limits<float>::infinity());
      return;
    case 1:
      if (!timed) return tokens.set_values(last, -std::numeric_limits<float>::infinity());
      return tokens.set_times_ns(tokens.times_ns_size() - 1, 1);
    case 2:
      tokens.set_first_seq(from + 1 + chance.Draw(100));
      return;
    default:
      if (channels > 1) return tokens.add_values(0);
      if (timed) return tokens.mutable_times_ns()->RemoveLast();
      while (tokens.values_size() <= static_cast<int>(kTokensPerItem)) tokens.add_values(0);
  }
}

// Breaks an Open, and returns the code of the refusal.
absl::StatusCode Doom(v1::Open& open, Chance& chance) {
  switch (chance.Draw(7)) {
    case 0:
      open.set_session_id("");
      break;
    case 1:
      open.set_session_id("not\nprintable");
      break;
    case 2:
      open.mutable_output()->add_horizons(1'000'000);
      break;
    case 3:
      open.mutable_output()->add_quantiles(1.5f);
      break;
    case 4:
      open.mutable_regular_times()->set_step_ns(-1);
      break;
    case 5:
      open.set_channels(1'000'000);
      break;
    default:
      open.set_model("nobody");
      return absl::StatusCode::kNotFound;
  }
  return absl::StatusCode::kInvalidArgument;
}

}  // namespace

v1::Open OpenOf(const std::string& id, uint32_t handle, const package::ForecasterConfig& config, Chance& chance) {
  const Kind kind = KindOf(id);
  v1::Open open;
  open.set_handle(handle);
  open.set_session_id(id);
  open.set_channels(kind.channels);
  if (kind.times == Kind::Times::kRegular) {
    open.mutable_regular_times()->set_start_ns(kStartNs);
    open.mutable_regular_times()->set_step_ns(kStepNs);
  }
  v1::OutputOptions& output = *open.mutable_output();
  output.set_every(kind.every);
  output.set_surprise(kind.every == 1 ? chance.OneIn(2) : kind.surprise);
  output.set_uncalibrated(chance.OneIn(4));
  for (uint32_t h = 1; chance.OneIn(2) && h <= static_cast<uint32_t>(config.horizon); h += 1 + chance.Draw(20)) {
    output.add_horizons(h);
  }
  for (size_t q = chance.Draw(2 * config.quantiles.size()); q < config.quantiles.size(); q += 1 + chance.Draw(3)) {
    output.add_quantiles(config.quantiles[q]);
  }
  return open;
}

v1::Tokens TokensOf(const Series& series, uint32_t handle, uint64_t begin, uint64_t end, uint64_t as) {
  v1::Tokens tokens;
  tokens.set_handle(handle);
  tokens.set_first_seq(begin);
  tokens.set_silent(series.Silent(as));
  for (uint64_t seq = begin; seq < end; ++seq) {
    for (uint32_t channel = 0; channel < series.kind().channels; ++channel) {
      tokens.add_values(series.Value(seq, channel));
    }
    if (series.kind().times == Kind::Times::kGiven) tokens.add_times_ns(series.Time(seq));
  }
  return tokens;
}

v1::Tokens NextTokens(const Hold& hold, uint32_t handle, uint64_t most, Chance& chance) {
  const Series& series = hold.series();
  const uint64_t from = hold.expected();
  const uint64_t end = series.SameUntil(from, from + chance.Size(std::max<uint64_t>(most, 1)));
  uint64_t begin = from;
  if (chance.OneIn(12)) begin -= std::min<uint64_t>({from, chance.Size(64), kTokensPerItem - (end - from)});
  const uint64_t stop = begin < from && chance.OneIn(2) ? from : end;
  v1::Tokens tokens = TokensOf(series, handle, begin, stop, from);
  if (chance.OneIn(40) && tokens.values_size() > 0) Spoil(tokens, series.kind().channels, from, chance);
  return tokens;
}

void AddBadItem(Conversation& conversation, Chance& chance, v1::ClientMessage& message) {
  const uint32_t handle = conversation.AbsentHandle();
  if (chance.OneIn(3)) {
    v1::Open& open = *message.add_items()->mutable_open();
    open.set_handle(handle);
    open.set_session_id("doomed.k0");
    open.set_number(chance.Draw(uint64_t{1} << 40) + (uint64_t{1} << 40));
    return conversation.Doomed(open.number(), static_cast<int>(Doom(open, chance)));
  }
  conversation.Stray(handle);
  if (chance.OneIn(2)) {
    message.add_items()->mutable_close()->set_handle(handle);
    return;
  }
  v1::Tokens& tokens = *message.add_items()->mutable_tokens();
  tokens.set_handle(handle);
  tokens.add_values(1);
}

}  // namespace aaren::soak
