#include "server/operate/metrics/watched_metrics.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/operate/metrics/format/family.h"

namespace aaren::metrics {
namespace {

using watch::WatchedChannel;
using watch::WatchedSession;

using Watched = std::vector<WatchedSession>;

// A tenant's name has no slash, and an id may have some: the first slash is the border.
std::string TenantOf(const WatchedSession& session) { return session.key.substr(0, session.key.find('/')); }
std::string IdOf(const WatchedSession& session) { return session.key.substr(session.key.find('/') + 1); }

prometheus::MetricFamily Tokens(const Watched& sessions) {
  Family family =
      Counters("aaren_watched_tokens_total", "Tokens of a session that were stepped here since it is watched.");
  for (const WatchedSession& session : sessions) {
    family.Add({{"tenant", TenantOf(session)}, {"session", IdOf(session)}}, static_cast<double>(session.tokens));
  }
  return family.Take();
}

prometheus::MetricFamily NextSeqs(const Watched& sessions) {
  Family family = Gauges("aaren_watched_next_seq", "How many tokens a watched session has had in its life.");
  for (const WatchedSession& session : sessions) {
    // Before its first token nothing is known of a session.
    if (session.tokens == 0) continue;
    family.Add({{"tenant", TenantOf(session)}, {"session", IdOf(session)}}, static_cast<double>(session.next_seq));
  }
  return family.Take();
}

// A number of each channel, without channels whose number is NaN.
template <typename Number>
prometheus::MetricFamily OfChannels(Family family, const Watched& sessions, Number number) {
  for (const WatchedSession& session : sessions) {
    for (size_t i = 0; i < session.channels.size(); ++i) {
      const double value = number(session.channels[i]);
      if (std::isnan(value)) continue;
      family.Add({{"tenant", TenantOf(session)}, {"session", IdOf(session)}, {"channel", absl::StrCat(i)}}, value);
    }
  }
  return family.Take();
}

prometheus::MetricFamily Forecasts(const Watched& sessions) {
  static constexpr std::pair<const char*, float task::Expected::*> kLevels[] = {
      {"low", &task::Expected::low}, {"middle", &task::Expected::middle}, {"high", &task::Expected::high}};
  Family family = Gauges("aaren_watched_forecast",
                         "Of a channel's next value: the lowest, the middle and the highest quantile of its forecast.");
  for (const WatchedSession& session : sessions) {
    for (size_t i = 0; i < session.channels.size(); ++i) {
      // The newest token has no forecast.
      if (std::isnan(session.channels[i].next.middle)) continue;
      for (const auto& [name, quantile] : kLevels) {
        family.Add(
            {{"tenant", TenantOf(session)}, {"session", IdOf(session)}, {"channel", absl::StrCat(i)}, {"level", name}},
            session.channels[i].next.*quantile);
      }
    }
  }
  return family.Take();
}

}  // namespace

std::vector<prometheus::MetricFamily> WatchedMetrics::Collect() const {
  const Watched sessions = watched_.List(clock_.Now());
  return {
      Tokens(sessions),
      NextSeqs(sessions),
      Forecasts(sessions),
      OfChannels(Gauges("aaren_watched_value", "The newest value of a channel."), sessions,
                 [](const WatchedChannel& channel) { return channel.value; }),
      OfChannels(Gauges("aaren_watched_surprise", "Where that value fell in its forecast, from 0 to 1."), sessions,
                 [](const WatchedChannel& channel) { return channel.surprise; }),
      OfChannels(Counters("aaren_watched_judged_total", "Values of a channel that a forecast was held against."),
                 sessions, [](const WatchedChannel& channel) { return static_cast<double>(channel.judged); }),
      OfChannels(Counters("aaren_watched_outside_total", "Those that lay beyond the lowest or the highest quantile."),
                 sessions, [](const WatchedChannel& channel) { return static_cast<double>(channel.outside); }),
      OfChannels(Counters("aaren_watched_error_total", "Sum of how far the middles of their forecasts were off."),
                 sessions, [](const WatchedChannel& channel) { return channel.error; }),
      OfChannels(Counters("aaren_watched_last_value_error_total", "Sum of how far the values before them were off."),
                 sessions, [](const WatchedChannel& channel) { return channel.last_value_error; })};
}

}  // namespace aaren::metrics
