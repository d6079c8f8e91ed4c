#include "model/tasks/events/scores/contest.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::events {
namespace {

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

MarkChance ChanceOf(const MarkForecast& forecast, uint64_t mark) {
  MarkChance chance;
  for (const auto& [known, probability] : forecast.known) chance.most = std::max(chance.most, probability);
  const auto found = forecast.known.find(mark);
  chance.fresh = found == forecast.known.end();
  chance.probability = chance.fresh ? forecast.fresh : found->second;
  return chance;
}

}  // namespace

Contest::Contest(const ContestOptions& options) : options_(options) {
  times_.emplace_back("model", options.rounding);
  marks_.emplace_back("model");
  if (!options.rules) return;
  for (const auto& [name, rule] : IntervalRules()) times_.emplace_back(name, options.rounding);
  for (const auto& [name, rule] : MarkRules::All()) marks_.emplace_back(name);
}

void Contest::Begin() {
  seen_ = 0;
  rules_ = IntervalRules();
  mark_rules_ = MarkRules();
  ties_ = TieRate();
}

void Contest::Take(double gap, uint64_t mark, const IntervalForecast* interval, const MarkChance* mark_forecast) {
  if (scores_next() && interval != nullptr && mark_forecast != nullptr) {
    JudgeTimes(*interval, gap);
    JudgeMarks(*mark_forecast, mark);
    ++events_;
  }
  if (options_.rules) {
    if (seen_ > 0) {
      ties_.Observe(gap);
      for (auto& [name, rule] : rules_) rule->Observe(gap);
    }
    mark_rules_.Observe(mark);
  }
  ++seen_;
}

void Contest::JudgeTimes(const IntervalForecast& model, double gap) {
  times_[0].Judge(model, gap);
  if (!options_.rules) return;
  for (size_t k = 0; k < rules_.size(); ++k) times_[k + 1].Judge(OfRule(*rules_[k].second, ties_.probability()), gap);
}

void Contest::JudgeMarks(const MarkChance& model, uint64_t mark) {
  if (model.fresh) ++fresh_;
  marks_[0].Judge(model);
  if (!options_.rules) return;
  const auto rules = MarkRules::All();
  for (size_t k = 0; k < rules.size(); ++k) marks_[k + 1].Judge(ChanceOf((mark_rules_.*rules[k].second)(), mark));
}

absl::StatusOr<Evaluation> Contest::Finish() {
  if (events_ == 0) return absl::InvalidArgumentError("no event can be scored: streams have fewer than three events");
  Evaluation evaluation = {
      .events = events_, .fresh_share = fresh_ / static_cast<double>(events_), .times = {}, .marks = {}};
  for (TimeJudge& judge : times_) evaluation.times.push_back(judge.Score());
  for (MarkJudge& judge : marks_) evaluation.marks.push_back(judge.Score());
  return evaluation;
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
