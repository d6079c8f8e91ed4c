#include "client/cli/evaluate/events/event_evaluation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aaren/client/client.h"
#include "aaren/client/event_marks.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/cli/evaluate/events/quantile_law.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr size_t kBatch = 64;         // events sent with one call
constexpr size_t kDrawnSeries = 3;    // series drawn
constexpr size_t kSampleEvents = 80;  // the latest of a series, as many as a figure shows apart
constexpr uint32_t kAllMarks = 64;    // all but one of a session's 64 marks and the new ones, at most
constexpr double kTieSpan = 1e-9;     // seconds: times are whole nanoseconds, so an interval within is a tie

double GapBefore(const EventSeries& series, size_t event) {
  return 1e-9 * static_cast<double>(series.events[event].time_ns - series.events[event - 1].time_ns);
}

// Has each forecast of a series judged when it comes.
class SeriesJudge : public SeriesStream {
 public:
  // All arguments outlive the SeriesJudge; `sample` may be null.
  SeriesJudge(const EventSeries& series, events::Contest& contest, SampledIntervals* sample)
      : series_(series), contest_(contest), sample_(sample) {
    contest_.Begin();
    contest_.Take(0, client::MarkNumber(series_.events[0].mark), nullptr, nullptr);
  }

  const std::vector<float>& levels() const { return levels_; }
  const std::string& model() const { return model_; }  // after Stream

 private:
  absl::Status CheckModel(const client::ModelInfo& model) override {
    model_ = model.FullName();
    return absl::OkStatus();
  }
  size_t tokens() const override { return series_.events.size(); }
  absl::Status Send(client::Session& session, size_t begin) override;
  void OnForecast(client::Session&, const client::Forecast& forecast) override;

  const EventSeries& series_;
  const std::vector<float> levels_ = EvaluationLevels();
  events::Contest& contest_;  // the client's thread only while the session is open, as is the next
  SampledIntervals* const sample_;
  std::string model_;
};

absl::Status SeriesJudge::Send(client::Session& session, size_t begin) {
  std::vector<int64_t> times;
  std::vector<uint32_t> marks;
  for (size_t i = begin; i < std::min(series_.events.size(), begin + kBatch); ++i) {
    times.push_back(series_.events[i].time_ns);
    marks.push_back(client::MarkNumber(series_.events[i].mark));
  }
  return session.Send(begin, {.times_ns = times, .marks = marks});
}

events::MarkChance ChanceOf(const client::EventForecast& forecast, uint32_t mark) {
  events::MarkChance chance = {.fresh = true};
  double fresh = 0, rest = 1;
  for (size_t i = 0; i < forecast.marks.size(); ++i) {
    const double probability = forecast.mark_probabilities[i];
    rest -= probability;
    if (forecast.marks[i] == client::kNewMark) {
      fresh += probability;  // places beyond the known marks count as new marks of probability 0
      continue;
    }
    chance.most = std::max(chance.most, probability);
    if (forecast.marks[i] != mark) continue;
    chance.fresh = false;
    chance.probability = probability;
  }
  // Where new marks are the least likely of all, the server has left them out.
  if (chance.fresh) chance.probability = fresh > 0 ? fresh : std::max(rest, 0.0);
  return chance;
}

void SeriesJudge::OnForecast(client::Session&, const client::Forecast& forecast) {
  const size_t next = forecast.seq + 1;
  if (next >= series_.events.size()) return;
  const double gap = GapBefore(series_, next);
  const uint32_t mark = client::MarkNumber(series_.events[next].mark);
  const bool made = !forecast.values.empty() && !forecast.event.within.empty() &&
                    std::none_of(forecast.values.begin(), forecast.values.end(), [](float x) { return std::isnan(x); });
  if (!made) return contest_.Take(gap, mark, nullptr, nullptr);
  const QuantileLaw law(levels_, forecast.values, forecast.event.within[0]);
  const events::MarkChance chance = ChanceOf(forecast.event, mark);
  contest_.Take(gap, mark, &law, &chance);
  if (sample_ == nullptr || next + kSampleEvents < series_.events.size()) return;
  sample_->event.push_back(static_cast<double>(next));
  sample_->gap.push_back(gap);
  sample_->low.push_back(law.IntervalAt(0.1));
  sample_->median.push_back(law.IntervalAt(0.5));
  sample_->high.push_back(law.IntervalAt(0.9));
}

// The series to draw: the first, the middle and the last third of the file have one each.
bool IsDrawn(size_t i, size_t all) {
  const size_t count = std::min(kDrawnSeries, all);
  for (size_t k = 0; k < count; ++k) {
    if (i == (2 * k + 1) * all / (2 * count)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<EventScores> EvaluateEvents(const std::vector<EventSeries>& series,
                                           const EventEvaluationOptions& options, const Interrupt& interrupt,
                                           const std::function<void(size_t)>& progress) {
  const std::string prefix = NewSessionPrefix();
  client::Client client(options.server.ClientOptions());
  events::Contest contest({.rounding = 1e-9 * static_cast<double>(options.scale.resolution_ns)});
  EventScores scores;
  for (size_t i = 0; i < series.size(); ++i) {
    SampledIntervals sample = {.series = series[i].name};
    SeriesJudge judge(series[i], contest, IsDrawn(i, series.size()) ? &sample : nullptr);
    client::SessionOptions session{
        .id = absl::StrCat(prefix, i), .model = options.server.model, .delivered_seq = 0, .event_scale = options.scale};
    session.output.quantiles = judge.levels();
    session.output.events = {.spans_s = {kTieSpan}, .marks = kAllMarks};
    const absl::Status status = judge.Stream(client, std::move(session), interrupt);
    if (!status.ok()) return FromServer(absl::StrCat("evaluate ", series[i].name), status);
    if (!sample.event.empty()) scores.samples.push_back(std::move(sample));
    scores.model = judge.model();
    progress(i + 1);
  }
  absl::StatusOr<events::Evaluation> evaluation = contest.Finish();
  if (!evaluation.ok()) return evaluation.status();
  scores.evaluation = *std::move(evaluation);
  return scores;
}

std::string EventScoresToJsonLines(const events::Evaluation& evaluation) {
  std::string out;
  const auto begin = [&](absl::string_view kind, const std::string& method) {
    JsonObject line(out);
    line.Add("score", kind).Add("method", method).Add("events", evaluation.events);
    return line;
  };
  for (const events::TimeScore& score : evaluation.times) {
    JsonObject line = begin("time", score.name);
    line.Add("nll", score.nll).Add("binned_nll", score.binned).Add("wql", score.wql).Add("ks", score.ks);
    line.Add("coverage80", score.inside).CloseLine();
  }
  for (const events::MarkScore& score : evaluation.marks) {
    JsonObject line = begin("mark", score.name);
    line.Add("nll", score.nll).Add("named", score.accuracy).Add("new", evaluation.fresh_share).CloseLine();
  }
  return out;
}

}  // namespace aaren::cli
