#include "client/cli/evaluate/class_evaluation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "aaren/client/client.h"
#include "aaren/client/models.h"
#include "absl/random/random.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
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

// Streams one case, and judges the reply to the last token of each share.
class CaseJudge : private client::Listener {
 public:
  // All arguments outlive the CaseJudge.
  CaseJudge(const LabelledSeries& one, const std::string& label, const Interrupt& interrupt)
      : one_(one), label_(label), interrupt_(interrupt) {}

  absl::Status Run(client::Client& client, client::SessionOptions session);

  const Unfolding& judged() const { return judged_; }  // after Run, as the next
  const client::ModelInfo& model() const { return model_; }

 private:
  absl::Status CheckModel();
  absl::Status Send(client::Session& session);
  void OnForecast(client::Session&, const client::Forecast& forecast) override;
  bool OnRewind(client::Session&, uint64_t) override { return true; }

  const LabelledSeries& one_;
  const std::string& label_;
  const Interrupt& interrupt_;
  client::ModelInfo model_;
  size_t class_ = 0;       // of the case, in the model's order
  Unfolding judged_ = {};  // the client's thread only while the session is open
};

absl::Status CaseJudge::CheckModel() {
  if (model_.kind != client::kClassificationKind) {
    return absl::InvalidArgumentError(absl::StrCat("model ", model_.FullName(), " is no classifier"));
  }
  const std::vector<std::string> classes = model_.Classes();
  class_ = static_cast<size_t>(std::find(classes.begin(), classes.end(), label_) - classes.begin());
  if (class_ < classes.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the class \"", label_, "\" is none of model ", model_.FullName(),
                                                 ", which has ", absl::StrJoin(classes, ", ")));
}

absl::Status CaseJudge::Run(client::Client& client, client::SessionOptions session) {
  absl::StatusOr<std::unique_ptr<client::Session>> opened = client.Open(std::move(session), *this);
  if (!opened.ok()) return opened.status();
  const absl::StatusOr<client::Opened> answer = (*opened)->WaitOpened();
  absl::Status status = answer.status();
  if (status.ok()) {
    model_ = answer->model;
    status = CheckModel();
  }
  while (status.ok()) {
    status = Send(**opened);
    if (status.ok()) status = (*opened)->Delete();
    // The server has lost tokens, and sending goes on from the wanted seq.
    if (!absl::IsOutOfRange(status)) break;
    status = absl::OkStatus();
  }
  return status.ok() && interrupt_.stopped() ? absl::CancelledError("interrupted") : status;
}

absl::Status CaseJudge::Send(client::Session& session) {
  std::vector<float> values;
  for (size_t begin; (begin = session.next_seq()) < one_.length() && !interrupt_.stopped();) {
    values.clear();
    for (size_t t = begin; t < std::min(one_.length(), begin + kTokensAtOnce); ++t) {
      for (const std::vector<float>& channel : one_.channels) values.push_back(channel[t]);
    }
    const absl::Status sent = session.Send(begin, {.values = values});
    if (!sent.ok() && !absl::IsOutOfRange(sent)) return sent;
  }
  return absl::OkStatus();
}

void CaseJudge::OnForecast(client::Session&, const client::Forecast& forecast) {
  const auto likeliest = std::max_element(forecast.values.begin(), forecast.values.end());
  for (int share = 0; share < kShares; ++share) {
    if (TokensOf(one_.length(), share) != forecast.seq + 1) continue;
    judged_.right[static_cast<size_t>(share)] = likeliest - forecast.values.begin() == static_cast<ptrdiff_t>(class_);
    judged_.confidence[static_cast<size_t>(share)] = *likeliest;
  }
}

// The threshold that the training of the model, name:version, chose.
double TrainedThreshold(const ClassEvaluationOptions& options, const std::string& model) {
  const absl::StatusOr<client::ModelInfo> info =
      client::Models({.target = options.target, .channel = options.channel}).Get(model);
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
  // Random, so that two evaluations at a server have sessions of their own.
  const std::string prefix = absl::StrFormat("evaluate-%016x-", absl::Uniform<uint64_t>(absl::BitGen()));
  client::Client client({.target = options.target,
                         .channel = options.channel,
                         .name = "aaren evaluate",
                         .connect_timeout = options.connect_timeout,
                         .reconnect_timeout = options.connect_timeout});
  ClassScores scores;
  for (size_t i = 0; i < set.cases.size(); ++i) {
    const LabelledSeries& one = set.cases[i];
    CaseJudge judge(one, set.classes[static_cast<size_t>(one.label)], interrupt);
    const absl::Status status = judge.Run(client, {.id = absl::StrCat(prefix, i),
                                                   .model = options.model,
                                                   .channels = static_cast<uint32_t>(set.channels()),
                                                   .delivered_seq = 0,
                                                   .durability = client::Durability::kNone});
    if (!status.ok()) return FromServer(absl::StrCat("evaluate case ", i), status);
    scores.cases.push_back(judge.judged());
    scores.model = judge.model().FullName();
    progress(i + 1);
  }
  scores.threshold = options.threshold ? *options.threshold : TrainedThreshold(options, scores.model);
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
