#include "model/tasks/events/evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/tasks/events/rules/interval_rules.h"
#include "model/tasks/events/rules/mark_rules.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::events {
namespace {

constexpr double kLeastProbability = 1e-30;

// The forecast of an interval by the model or by a rule.
class IntervalForecast {
 public:
  virtual ~IntervalForecast() = default;
  virtual double Tie() const = 0;
  virtual double Below(double gap) const = 0;  // the probability of an interval above 0 and at most `gap`
  virtual double LogDensity(double gap) const = 0;
  virtual double IntervalAt(double level) const = 0;  // ties included
};

class OfModel final : public IntervalForecast {
 public:
  explicit OfModel(const Outlook& outlook) : outlook_(outlook) {}
  double Tie() const override { return outlook_.tie; }
  double Below(double gap) const override {
    return gap > 0 ? (ProbabilityWithin(outlook_, gap) - outlook_.tie) / (1 - outlook_.tie) : 0;
  }
  double LogDensity(double gap) const override { return events::LogDensity(outlook_, gap); }
  double IntervalAt(double level) const override { return events::IntervalAt(outlook_, level); }

 private:
  const Outlook& outlook_;
};

class OfRule final : public IntervalForecast {
 public:
  OfRule(const IntervalRule& rule, double tie) : rule_(rule), tie_(tie) {}
  double Tie() const override { return tie_; }
  double Below(double gap) const override { return gap > 0 ? rule_.Below(gap) : 0; }
  double LogDensity(double gap) const override { return rule_.LogDensity(gap); }
  double IntervalAt(double level) const override {
    return level <= tie_ ? 0 : rule_.IntervalAt((level - tie_) / (1 - tie_));
  }

 private:
  const IntervalRule& rule_;
  const double tie_;
};

class TimeJudge {
 public:
  TimeJudge(std::string name, double rounding) : rounding_(rounding), random_(1, 1) { score_.name = std::move(name); }

  void Judge(const IntervalForecast& forecast, double gap) {
    const double tie = forecast.Tie();
    const double likelihood = gap > 0 ? std::log(std::max(1 - tie, kLeastProbability)) : std::log(tie);
    score_.nll -= likelihood + (gap > 0 ? forecast.LogDensity(gap) : 0);
    score_.binned -= likelihood + (gap > 0 ? Binned(forecast, gap) : 0);
    for (int i = 1; i < 10; ++i) {
      const double level = i / 10.0, miss = gap - forecast.IntervalAt(level);
      score_.wql += 2 * std::max(level * miss, (level - 1) * miss) / 9;
    }
    gaps_ += gap;
    // A rounded interval lies anywhere within its rounding, a tie anywhere within the ties.
    const double low = gap > 0 ? tie + (1 - tie) * forecast.Below(gap - rounding_ / 2) : 0;
    const double high = gap > 0 ? tie + (1 - tie) * forecast.Below(gap + rounding_ / 2) : tie;
    surprises_.push_back(low + (high - low) * random_.Uniform());
  }

  TimeScore Score() {
    const auto count = static_cast<double>(surprises_.size());
    TimeScore score = score_;
    score.nll /= count;
    score.binned /= count;
    score.wql /= gaps_;
    std::sort(surprises_.begin(), surprises_.end());
    for (size_t i = 0; i < surprises_.size(); ++i) {
      const double low = static_cast<double>(i) / count, high = static_cast<double>(i + 1) / count;
      score.ks = std::max({score.ks, surprises_[i] - low, high - surprises_[i]});
    }
    return score;
  }

 private:
  double Binned(const IntervalForecast& forecast, double gap) const {
    if (!(rounding_ > 0) || gap <= rounding_ / 2) return forecast.LogDensity(gap);
    const double low = gap - rounding_ / 2, high = gap + rounding_ / 2;
    const double mass = forecast.Below(high) - forecast.Below(low);
    return std::log(std::max(mass, kLeastProbability)) - std::log(std::log(high / low));
  }

  const double rounding_;
  forecasting::Random random_;
  TimeScore score_;
  double gaps_ = 0;
  std::vector<double> surprises_;
};

class MarkJudge {
 public:
  explicit MarkJudge(std::string name) { score_.name = std::move(name); }

  // `most` is the largest probability of a known mark.
  void Judge(double probability, bool fresh, double most) {
    score_.nll -= std::log(std::max(probability, kLeastProbability));
    if (!fresh && probability >= most) score_.accuracy += 1;
    ++events_;
  }

  MarkScore Score() const {
    return {.name = score_.name, .nll = score_.nll / events_, .accuracy = score_.accuracy / events_};
  }

 private:
  MarkScore score_;
  double events_ = 0;
};

// The judges of all methods, and the streams' scores so far.
class Judges {
 public:
  explicit Judges(const EvaluationOptions& options) : options_(options) {
    times_.emplace_back("model", options.rounding);
    marks_.emplace_back("model");
    if (!options.rules) return;
    for (const auto& [name, rule] : IntervalRules()) times_.emplace_back(name, options.rounding);
    for (const auto& [name, rule] : MarkRules::All()) marks_.emplace_back(name);
  }

  void Judge(const EventEngine& engine, const EventStream& stream, EventEngine::Scratch& scratch) {
    auto row = std::make_unique<EventRow>(NewEventRow(options_.calendar));
    auto rules = IntervalRules();
    MarkRules mark_rules;
    TieRate ties;
    EventResult before, now;
    for (size_t i = 0; i < stream.times_ns.size(); ++i) {
      const Event event = {.time_ns = stream.times_ns[i], .mark = stream.marks[i]};
      const double gap = i == 0 ? 0 : static_cast<double>(stream.times_ns[i] - stream.times_ns[i - 1]) * 1e-9;
      const bool scored = i >= 2 && before.outlook.made();
      if (scored) {
        JudgeTimes(before.outlook, rules, ties, gap);
        JudgeMarks(*row, before, mark_rules, event.mark);
        ++events_;
      }
      const EventRun run = {.row = row.get(), .events = {&event, 1}, .results = &now};
      engine.Step({&run, 1}, scratch).IgnoreError();  // times were checked when the file was read
      before = now;
      if (!options_.rules) continue;
      if (i > 0) {
        ties.Observe(gap);
        for (auto& [name, rule] : rules) rule->Observe(gap);
      }
      mark_rules.Observe(event.mark);
    }
  }

  absl::StatusOr<Evaluation> Finish() {
    if (events_ == 0) return absl::InvalidArgumentError("no event can be scored: streams have fewer than three events");
    Evaluation evaluation = {
        .events = events_, .fresh_share = fresh_ / static_cast<double>(events_), .times = {}, .marks = {}};
    for (TimeJudge& judge : times_) evaluation.times.push_back(judge.Score());
    for (MarkJudge& judge : marks_) evaluation.marks.push_back(judge.Score());
    return evaluation;
  }

 private:
  void JudgeTimes(const Outlook& outlook,
                  const std::vector<std::pair<std::string, std::unique_ptr<IntervalRule>>>& rules, const TieRate& ties,
                  double gap) {
    times_[0].Judge(OfModel(outlook), gap);
    if (!options_.rules) return;
    for (size_t k = 0; k < rules.size(); ++k) {
      times_[k + 1].Judge(OfRule(*rules[k].second, ties.probability()), gap);
    }
  }

  void JudgeMarks(const EventRow& row, const EventResult& result, const MarkRules& rules, uint64_t mark) {
    const size_t slot = FindSlot(row.memory, mark);
    if (slot == kNewMark) ++fresh_;
    marks_[0].Judge(result.marks[slot], slot == kNewMark, *std::max_element(result.marks, result.marks + kMarkSlots));
    if (!options_.rules) return;
    for (size_t k = 1; k < marks_.size(); ++k) {
      const MarkForecast forecast = (rules.*MarkRules::All()[k - 1].second)();
      const auto found = forecast.known.find(mark);
      double most = 0;
      for (const auto& [known, probability] : forecast.known) most = std::max(most, probability);
      const bool fresh = found == forecast.known.end();
      marks_[k].Judge(fresh ? forecast.fresh : found->second, fresh, most);
    }
  }

  const EvaluationOptions options_;
  std::vector<TimeJudge> times_;
  std::vector<MarkJudge> marks_;
  size_t events_ = 0;
  double fresh_ = 0;
};

}  // namespace

absl::StatusOr<Evaluation> EvaluateEvents(const EventEngine& engine, absl::Span<const EventStream> streams,
                                          const EvaluationOptions& options) {
  Judges judges(options);
  const std::unique_ptr<EventEngine::Scratch> scratch = engine.NewScratch();
  for (const EventStream& stream : streams) judges.Judge(engine, stream, *scratch);
  return judges.Finish();
}

std::string EvaluationTable(const Evaluation& evaluation) {
  std::string text = absl::StrFormat("%d events scored\n%-30s %8s %8s %8s %8s\n", evaluation.events, "time", "NLL",
                                     "binned", "WQL", "KS");
  for (const TimeScore& score : evaluation.times) {
    absl::StrAppendFormat(&text, "%-30s %8.3f %8.3f %8.3f %8.3f\n", score.name, score.nll, score.binned, score.wql,
                          score.ks);
  }
  absl::StrAppendFormat(&text, "%-30s %8s %8s\n", absl::StrFormat("mark (%.1f %% new)", 100 * evaluation.fresh_share),
                        "NLL", "named %");
  for (const MarkScore& score : evaluation.marks) {
    absl::StrAppendFormat(&text, "%-30s %8.3f %8.1f\n", score.name, score.nll, 100 * score.accuracy);
  }
  return text;
}

}  // namespace aaren::events
