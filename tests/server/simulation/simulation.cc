#include "tests/server/simulation/simulation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/server/simulation/cluster.h"
#include "tests/server/simulation/host.h"
#include "tests/server/simulation/rival.h"

namespace aaren::simulation {
namespace {

constexpr uint64_t kStorm = 3000;    // moments of trouble
constexpr uint64_t kLimit = 400000;  // moments until everybody must have finished

constexpr size_t kRowBytes = 64, kLongRowBytes = 4096;  // a fake engine's, and about a network's

shard::ShardOptions DrawOptions(Fate& fate) {
  shard::ShardOptions options;
  options.capacity_rows = 2 + fate.Draw(6);
  // Most runs send saved rows to the store at once, or all but a few rows.
  if (!fate.OneIn(4)) options.max_resident_bytes = fate.Draw(4) * (fate.OneIn(2) ? kRowBytes : kLongRowBytes);
  options.max_tokens_per_item = 16;
  options.max_in_flight_tokens = 64;
  options.max_step_tokens = 1 + fate.Draw(24);
  options.max_queued_bytes = 4'000 + fate.Draw(20'000);
  options.save_interval = absl::Milliseconds(1 + fate.Draw(30));
  return options;
}

class Simulation {
 public:
  explicit Simulation(Fate& fate)
      : fate_(fate), cluster_(fate, DrawOptions(fate), 1 + static_cast<int>(fate.Draw(3))), common_(DrawForms(99, 60)) {
    std::vector<std::string> owned;
    for (uint64_t hosts = 1 + fate.Draw(3); hosts_.size() < hosts;) owned = AddHost(std::move(owned));
    for (uint64_t rivals = fate.Draw(3); rivals_.size() < rivals;) {
      rivals_.push_back(std::make_unique<Rival>(fate, cluster_, common_, owned));
    }
  }

  void Run() {
    while (fate_.moments() < kStorm && fate_.broken().empty()) Moment();
    Calm();
    while (!Finished() && fate_.broken().empty()) {
      Moment();
      if (fate_.moments() > kLimit) {
        TellLevels();
        return fate_.Accuse("somebody never finishes");
      }
    }
    if (fate_.broken().empty()) CheckRows();
  }

  void Fill(Report& report) {
    for (int i = 0; i < cluster_.shards(); ++i) {
      const shard::ShardCounters& counters = cluster_.shard(i).counters();
      report.evicted += counters.sessions_evicted.value();
      report.demoted += counters.demotions.value();
      report.promoted += counters.promotions.value();
      report.moved += counters.sessions_moved.value();
      report.rewound += counters.sessions_rewound.value();
      report.fenced += counters.sessions_fenced.value() + counters.sessions_taken_over.value();
    }
    report.kills = static_cast<uint64_t>(cluster_.life());
    const Cluster::Late late = cluster_.late();
    report.late = late.finished;
    report.awaited = late.awaited;
    report.cut = late.cut;
    report.unloaded = cluster_.unloaded();
    for (const auto& rival : rivals_) report.refused += rival->refused();
  }

 private:
  std::vector<std::string> AddHost(std::vector<std::string> owned) {
    std::vector<std::unique_ptr<Track>> tracks;
    for (uint64_t count = 1 + fate_.Draw(4); tracks.size() < count;) {
      const auto number = static_cast<uint32_t>(owned.size());
      series_.push_back(std::make_unique<Series>(DrawSeries(number, 20 + fate_.Draw(60))));
      owned.push_back(absl::StrCat("owned-", number));
      const auto durability = static_cast<client::Durability>(1 + fate_.Draw(3));
      tracks.push_back(std::make_unique<Track>(fate_, owned.back(), *series_.back(), fate_.OneIn(2), durability));
    }
    hosts_.push_back(std::make_unique<Host>(fate_, cluster_, std::move(tracks)));
    return owned;
  }

  Series::Kind DrawKind() {
    constexpr Series::Kind kKinds[] = {Series::Kind::kValues, Series::Kind::kEvents, Series::Kind::kNetwork};
    return kKinds[fate_.Draw(3)];
  }

  // The forms of rows that a session may have. No two have as many covariates: tokens for another form are refused.
  static std::vector<task::RowForm> FormsOf(Series::Kind kind) {
    std::vector<task::RowForm> forms = {{}};
    if (kind != Series::Kind::kNetwork) return forms;
    for (const engine::Extension& extension : {engine::Extension{}, {0, 2}, {1, 2}, {5, 3}, {1, 0, true}}) {
      forms.push_back({.extended = true, .extension = extension});
    }
    return forms;
  }

  static Series Make(uint32_t number, size_t tokens, Series::Kind kind, const task::RowForm& rows) {
    constexpr size_t kMore = 40;  // until effects of covariates are learned
    return {number, tokens + (kind == Series::Kind::kNetwork ? kMore : 0), kind, rows};
  }

  Series DrawSeries(uint32_t number, size_t tokens) {
    const Series::Kind kind = DrawKind();
    const std::vector<task::RowForm> forms = FormsOf(kind);
    return Make(number, tokens, kind, forms[fate_.Draw(forms.size())]);
  }

  // Series of one kind, one for each form of rows.
  std::vector<Series> DrawForms(uint32_t number, size_t tokens) {
    const Series::Kind kind = DrawKind();
    std::vector<Series> series;
    for (const task::RowForm& rows : FormsOf(kind)) series.push_back(Make(number, tokens, kind, rows));
    return series;
  }

  void Moment() {
    fate_.NextMoment();
    fate_.Pass(absl::Microseconds(1 + fate_.Draw(200)));
    if (!calm_ && fate_.OneIn(1500)) Kill();
    const uint64_t what = fate_.Draw(8);
    if (what < 3) return cluster_.Turn();
    if (what < 5 || rivals_.empty()) {
      Host& host = *hosts_[fate_.Draw(hosts_.size())];
      return fate_.OneIn(2) ? host.Turn() : (void)host.Deliver();
    }
    Rival& rival = *rivals_[fate_.Draw(rivals_.size())];
    if (fate_.OneIn(2) || calm_) {
      (void)rival.Deliver();
    } else {
      rival.Turn();
    }
  }

  void Kill() {
    for (const auto& host : hosts_) host->LoseServer();
    for (const auto& rival : rivals_) rival->LoseServer();
    cluster_.Kill();
  }

  void Calm() {
    fate_.Tell("calm");
    calm_ = true;
    cluster_.Calm();
    for (const auto& host : hosts_) host->Calm();
    for (const auto& rival : rivals_) rival->Leave();
  }

  bool Finished() const {
    return std::all_of(hosts_.begin(), hosts_.end(), [](const auto& host) { return host->finished(); });
  }

  // The shards' view of the reasons to wait.
  void TellLevels() {
    for (int i = 0; i < cluster_.shards(); ++i) {
      const shard::ShardCounters& counters = cluster_.shard(i).counters();
      fate_.Tell("shard ", i, "  ", counters.queued_tokens.value(), " tokens wait, ", counters.queued_bytes.value(),
                 " bytes, ", counters.held_bytes.value(), " held; ", counters.slots_used.value(), " of ",
                 counters.slots_capacity.value(), " rows, ", counters.sessions_attached.value(), " attached, ",
                 counters.sessions_demoted.value(), " demoted");
    }
  }

  // Everybody has gone: the rest must add up.
  void CheckRows() {
    for (uint64_t i = 0; i < 4000 || !cluster_.Idle(); ++i) {
      fate_.Pass(absl::Milliseconds(1));
      cluster_.Turn();
      for (const auto& host : hosts_) host->Turn(), host->Deliver();
      for (const auto& rival : rivals_) rival->Deliver();
      if (i > kLimit) return fate_.Accuse("the server never rests");
    }
    for (int i = 0; i < cluster_.shards(); ++i) {
      cluster_.shard(i).DrainMailbox();
      cluster_.shard(i).Tick();
      const shard::ShardCounters& counters = cluster_.shard(i).counters();
      if (counters.sessions_attached.value() != 0) fate_.Accuse("shard ", i, " has sessions of streams that are gone");
      if (counters.slots_used.value() != counters.sessions_resident.value()) {
        fate_.Accuse("shard ", i, ": ", counters.slots_used.value(), " rows of ", counters.sessions_resident.value(),
                     " sessions");
      }
      if (counters.sessions_demoted.value() != 0) fate_.Accuse("shard ", i, " remembers handles that are gone");
      if (counters.queued_tokens.value() != 0) fate_.Accuse("shard ", i, " has tokens that nobody waits for");
    }
  }

  Fate& fate_;
  Cluster cluster_;
  const std::vector<Series> common_;
  std::vector<std::unique_ptr<Series>> series_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<std::unique_ptr<Rival>> rivals_;
  bool calm_ = false;
};

}  // namespace

Report Run(uint64_t seed, bool keep_history) {
  Fate fate(seed, keep_history);
  Report report;
  {
    Simulation simulation(fate);
    simulation.Run();
    simulation.Fill(report);
  }
  report.broken = fate.broken();
  report.history = fate.history();
  report.moments = fate.moments();
  return report;
}

}  // namespace aaren::simulation
