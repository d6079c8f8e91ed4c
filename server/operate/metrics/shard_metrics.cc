#include "server/operate/metrics/shard_metrics.h"

#include <type_traits>
#include <utility>

#include "server/operate/metrics/format/family.h"
#include "server/program/version/version.h"

namespace aaren::metrics {
namespace {

using Shards = std::vector<const shard::ShardCounters*>;
using Streams = std::vector<const rpc::StreamCounters*>;

// Shards go on counting during a scrape: a sum over several shards is of no single moment.
template <typename Holder>
double Sum(const std::vector<const Holder*>& holders, std::type_identity_t<counters::Counter Holder::*> counter) {
  uint64_t sum = 0;
  for (const Holder* holder : holders) sum += (holder->*counter).value();
  return static_cast<double>(sum);
}

// A metric for each pair of label value and counter.
template <typename Holder>
prometheus::MetricFamily ByLabel(Family family, const char* label, const std::vector<const Holder*>& holders,
                                 std::initializer_list<std::pair<const char*, counters::Counter Holder::*>> parts) {
  for (const auto& [value, counter] : parts) family.Add({{label, value}}, Sum(holders, counter));
  return family.Take();
}

template <typename Part, size_t N>
prometheus::MetricFamily ToHistogram(const char* name, const char* help, const Shards& shards,
                                     counters::Histogram<N> Part::*histogram) {
  Family family(name, help, prometheus::MetricType::Histogram);
  std::vector<const counters::Histogram<N>*> parts;
  for (const shard::ShardCounters* shard : shards) parts.push_back(&(shard->*histogram));
  SumHistograms<N>(parts, family.AddHistogram());
  return family.Take();
}

prometheus::MetricFamily Tokens(const Shards& shards) {
  return ByLabel<shard::ShardCounters>(Counters("aaren_tokens_total", "Tokens received, by what became of them."),
                                       "outcome", shards,
                                       {{"forecast", &shard::ShardCounters::tokens_forecast},
                                        {"folded", &shard::ShardCounters::tokens_folded},
                                        {"silent", &shard::ShardCounters::tokens_silent},
                                        {"duplicate", &shard::ShardCounters::tokens_duplicate},
                                        {"refused", &shard::ShardCounters::tokens_refused},
                                        {"dropped", &shard::ShardCounters::tokens_dropped}});
}

prometheus::MetricFamily SessionEvents(const Shards& shards) {
  return ByLabel<shard::ShardCounters>(Counters("aaren_session_events_total", "What happened to sessions."), "event",
                                       shards,
                                       {{"created", &shard::ShardCounters::sessions_created},
                                        {"resumed", &shard::ShardCounters::sessions_resumed},
                                        {"detached", &shard::ShardCounters::sessions_detached},
                                        {"deleted", &shard::ShardCounters::sessions_deleted},
                                        {"moved", &shard::ShardCounters::sessions_moved},
                                        {"expired", &shard::ShardCounters::sessions_expired},
                                        {"evicted", &shard::ShardCounters::sessions_evicted},
                                        {"demoted", &shard::ShardCounters::demotions},
                                        {"promoted", &shard::ShardCounters::promotions},
                                        {"rewound", &shard::ShardCounters::sessions_rewound},
                                        {"fenced", &shard::ShardCounters::sessions_fenced},
                                        {"taken_over", &shard::ShardCounters::sessions_taken_over},
                                        {"refused", &shard::ShardCounters::sessions_refused}});
}

void AddLevels(const Shards& shards, std::vector<prometheus::MetricFamily>& families) {
  // Resident sessions include the attached sessions.
  const double attached = Sum(shards, &shard::ShardCounters::sessions_attached);
  families.push_back(
      Gauges("aaren_sessions",
             "Sessions in memory, by whether a stream has them open; of demoted ones only the handle is.")
          .Add({{"state", "attached"}}, attached)
          .Add({{"state", "detached"}}, Sum(shards, &shard::ShardCounters::sessions_resident) - attached)
          .Add({{"state", "demoted"}}, Sum(shards, &shard::ShardCounters::sessions_demoted))
          .Take());
  const double used = Sum(shards, &shard::ShardCounters::slots_used);
  families.push_back(Gauges("aaren_slots", "Places for the rows of sessions.")
                         .Add({{"state", "used"}}, used)
                         .Add({{"state", "free"}}, Sum(shards, &shard::ShardCounters::slots_capacity) - used)
                         .Take());
  families.push_back(Gauges("aaren_state_bytes", "Size of the rows of all sessions held in memory.")
                         .Add({}, Sum(shards, &shard::ShardCounters::state_bytes))
                         .Take());
  families.push_back(Gauges("aaren_sessions_stalled", "Sessions whose streams wait until the store has their saves.")
                         .Add({}, Sum(shards, &shard::ShardCounters::sessions_stalled))
                         .Take());
  families.push_back(Gauges("aaren_sessions_silent", "Open sessions without a token for ten of their steps.")
                         .Add({}, Sum(shards, &shard::ShardCounters::sessions_silent))
                         .Take());
  families.push_back(Gauges("aaren_queued_tokens", "Tokens that wait for a step.")
                         .Add({}, Sum(shards, &shard::ShardCounters::queued_tokens))
                         .Take());
}

void AddStreams(const Streams& streams, std::vector<prometheus::MetricFamily>& families) {
  // Shards count openings and closings: the level is the difference.
  const double opened = Sum(streams, &rpc::StreamCounters::opened);
  families.push_back(Gauges("aaren_streams", "Streams that are open.")
                         .Add({}, opened - Sum(streams, &rpc::StreamCounters::closed))
                         .Take());
  families.push_back(ByLabel<rpc::StreamCounters>(
      Counters("aaren_streams_ended_total", "Streams that the server ended for a limit."), "limit", streams,
      {{"caller", &rpc::StreamCounters::strangers},
       {"count", &rpc::StreamCounters::refused},
       {"time", &rpc::StreamCounters::timed_out}}));
  families.push_back(Counters("aaren_streams_opened_total", "Streams that clients opened.").Add({}, opened).Take());
  families.push_back(ByLabel<rpc::StreamCounters>(
      Counters("aaren_messages_total", "Messages on streams."), "direction", streams,
      {{"received", &rpc::StreamCounters::messages_received}, {"sent", &rpc::StreamCounters::messages_sent}}));
  families.push_back(ByLabel<rpc::StreamCounters>(
      Counters("aaren_message_bytes_total", "Size of the messages on streams, before HTTP/2 frames them."), "direction",
      streams, {{"received", &rpc::StreamCounters::bytes_received}, {"sent", &rpc::StreamCounters::bytes_sent}}));
}

// The memory held for clients, and its limits.
void AddMemory(const Shards& shards, const Streams& streams, const rpc::ServerOptions& options, size_t transit_bytes,
               std::vector<prometheus::MetricFamily>& families) {
  // Each shard has the limits of the options for itself.
  const auto times = static_cast<double>(shards.size());
  Family held = Gauges("aaren_held_bytes", "Memory that clients make the server hold, about, by what for.");
  // Sessions and saves draw on one budget, and each shows the whole limit.
  Family limit = Gauges("aaren_held_limit_bytes", "The most of aaren_held_bytes; sessions and saves share theirs.");
  const auto add = [&](const char* what, double bytes, double most) {
    held.Add({{"use", what}}, bytes);
    limit.Add({{"use", what}}, most);
  };
  add("waiting_tokens", Sum(shards, &shard::ShardCounters::queued_bytes),
      times * static_cast<double>(options.shard.max_queued_bytes));
  add("replies_awaiting_saves", Sum(shards, &shard::ShardCounters::held_bytes),
      times * static_cast<double>(options.shard.max_queued_bytes));
  add("unread_replies", Sum(streams, &rpc::StreamCounters::unread_bytes),
      times * static_cast<double>(options.limits.unread_bytes));
  if (const memory::MemoryBudget* budget = options.shard.ties.budget; budget != nullptr) {
    const auto most = static_cast<double>(budget->limit());
    add("sessions", static_cast<double>(budget->used(memory::MemoryBudget::Use::kSessions)), most);
    add("saves", static_cast<double>(budget->used(memory::MemoryBudget::Use::kSaves)), most);
  }
  add("rows_on_their_way", static_cast<double>(transit_bytes), static_cast<double>(options.transit_bytes));
  families.push_back(held.Take());
  families.push_back(limit.Take());
}

}  // namespace

std::vector<prometheus::MetricFamily> ShardMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  // Prometheus has no metric of text: labels carry the version.
  families.push_back(Gauges("aaren_build_info", "Always 1; the labels say what runs.")
                         .Add({{"version", version::kVersion}}, 1)
                         .Take());
  families.push_back(Tokens(shards_));
  families.push_back(SessionEvents(shards_));
  families.push_back(ByLabel<shard::ShardCounters>(
      Counters("aaren_saves_total", "Saves of sessions, by whether the store took them."), "outcome", shards_,
      {{"stored", &shard::ShardCounters::saves}, {"failed", &shard::ShardCounters::save_failures}}));
  families.push_back(Counters("aaren_saves_retried_total", "Saves that failed and are done again later.")
                         .Add({}, Sum(shards_, &shard::ShardCounters::saves_retried))
                         .Take());
  AddLevels(shards_, families);
  AddStreams(streams_, families);
  AddMemory(shards_, streams_, options_, transit_bytes_(), families);
  families.push_back(ToHistogram("aaren_batch_tokens", "Tokens of one call of the step engine.", shards_,
                                 &shard::ShardCounters::batch_tokens));
  families.push_back(ToHistogram("aaren_queue_seconds", "Time of a token from its arrival to the start of its step.",
                                 shards_, &shard::ShardCounters::queue_seconds));
  families.push_back(ToHistogram("aaren_token_seconds", "Time of a token from its arrival to the reply in its stream.",
                                 shards_, &shard::ShardCounters::token_seconds));
  families.push_back(ToHistogram("aaren_save_wait_seconds",
                                 "Time by which replies with durability EVERY_TOKEN waited for their save.", shards_,
                                 &shard::ShardCounters::save_seconds));
  families.push_back(ToHistogram("aaren_promotion_seconds",
                                 "Time from the token of a demoted session to its row in memory.", shards_,
                                 &shard::ShardCounters::promotion_seconds));
  families.push_back(ToHistogram("aaren_reuse_seconds", "Time between two tokens of a session that came apart.",
                                 shards_, &shard::ShardCounters::reuse_seconds));
  return families;
}

}  // namespace aaren::metrics
