#include "client/cli/evaluate/class_evaluation.h"

#include <algorithm>
#include <utility>

#include "aaren/client/client.h"
#include "aaren/client/models.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

using classification::kShares;
using classification::LabelledSeries;
using classification::Unfolding;

constexpr size_t kTokensAtOnce = 64;     // tokens sent with one call
constexpr double kUsualThreshold = 0.9;  // where the training chose none

// How many tokens are share i + 1 of kShares, rounded up.
size_t TokensOf(size_t length, int share) { return (length * static_cast<size_t>(share + 1) + kShares - 1) / kShares; }

// Judges the reply to the last token of each share of a case.
class CaseJudge : public SeriesStream {
 public:
  // Both arguments outlive the CaseJudge.
  CaseJudge(const LabelledSeries& one, const std::string& label) : one_(one), label_(label) {}

  const Unfolding& judged() const { return judged_; }  // after Stream, as the next
  const client::ModelInfo& model() const { return model_; }

 private:
  absl::Status CheckModel(const client::ModelInfo& model) override;
  size_t tokens() const override { return one_.length(); }
  absl::Status Send(client::Session& session, size_t begin) override;
  void OnForecast(client::Session&, const client::Forecast& forecast) override;

  const LabelledSeries& one_;
  const std::string& label_;
  client::ModelInfo model_;
  size_t class_ = 0;       // the case's, in the model's order
  Unfolding judged_ = {};  // the client's thread only while the session is open
};

absl::Status CaseJudge::CheckModel(const client::ModelInfo& model) {
  model_ = model;
  if (model.kind != client::kClassificationKind) {
    return absl::InvalidArgumentError(
        absl::StrCat("model ", model.FullName(), " is no classifier; --model names another model"));
  }
  const std::vector<std::string> classes = model.Classes();
  class_ = static_cast<size_t>(std::find(classes.begin(), classes.end(), label_) - classes.begin());
  if (class_ < classes.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the class \"", label_, "\" is none of model ", model.FullName(),
                                                 ", which has ", absl::StrJoin(classes, ", ")));
}

absl::Status CaseJudge::Send(client::Session& session, size_t begin) {
  std::vector<float> values;
  for (size_t t = begin; t < std::min(one_.length(), begin + kTokensAtOnce); ++t) {
    for (const std::vector<float>& channel : one_.channels) values.push_back(channel[t]);
  }
  return session.Send(begin, {.values = values});
}

void CaseJudge::OnForecast(client::Session&, const client::Forecast& forecast) {
  const auto likeliest = std::max_element(forecast.values.begin(), forecast.values.end());
  for (int share = 0; share < kShares; ++share) {
    if (TokensOf(one_.length(), share) != forecast.seq + 1) continue;
    judged_.right[static_cast<size_t>(share)] = likeliest - forecast.values.begin() == static_cast<ptrdiff_t>(class_);
    judged_.confidence[static_cast<size_t>(share)] = *likeliest;
  }
}

// The threshold that the training of the model chose.
double TrainedThreshold(const EvaluatedServer& server, const std::string& model) {
  const absl::StatusOr<client::ModelInfo> info =
      client::Models({.target = server.target, .channel = server.channel}).Get(model);
  if (!info.ok()) return kUsualThreshold;
  double threshold = 0;
  const auto found = info->training.find("early_threshold");
  const bool told = found != info->training.end() && absl::SimpleAtod(found->second, &threshold);
  return told && threshold > 0 && threshold <= 1 ? threshold : kUsualThreshold;
}

}  // namespace

absl::StatusOr<ClassScores> EvaluateClasses(const classification::LabelledSet& set,
                                            const ClassEvaluationOptions& options, const Interrupt& interrupt,
                                            const std::function<void(size_t)>& progress) {
  const std::string prefix = NewSessionPrefix();
  client::Client client(options.server.ClientOptions());
  ClassScores scores;
  for (size_t i = 0; i < set.cases.size(); ++i) {
    const LabelledSeries& one = set.cases[i];
    CaseJudge judge(one, set.classes[static_cast<size_t>(one.label)]);
    client::SessionOptions session = {.id = absl::StrCat(prefix, i),
                                      .model = options.server.model,
                                      .channels = static_cast<uint32_t>(set.channels()),
                                      .delivered_seq = 0,
                                      .durability = client::Durability::kNone};
    const absl::Status status = judge.Stream(client, std::move(session), interrupt);
    if (!status.ok()) return FromServer(absl::StrCat("evaluate case ", i), status);
    scores.cases.push_back(judge.judged());
    scores.model = judge.model().FullName();
    progress(i + 1);
  }
  scores.threshold = options.threshold ? *options.threshold : TrainedThreshold(options.server, scores.model);
  return scores;
}

std::string ClassScoresToJson(const ClassScores& scores) {
  const auto accuracy = classification::AccuracyByShare(scores.cases);
  const classification::EarlyScore early = classification::ScoreEarly(scores.cases, scores.threshold);
  std::vector<float> by_share(accuracy.begin(), accuracy.end());
  std::string out;
  JsonObject(out)
      .Add("model", scores.model)
      .Add("cases", scores.cases.size())
      .Add("accuracy", accuracy.back())
      .Add("accuracy_by_share", absl::MakeConstSpan(by_share))
      .Add("threshold", scores.threshold)
      .Add("early_accuracy", early.accuracy)
      .Add("early_share", early.earliness)
      .Add("harmonic_mean", early.harmonic_mean)
      .Close();
  out += '\n';
  return out;
}

}  // namespace aaren::cli
