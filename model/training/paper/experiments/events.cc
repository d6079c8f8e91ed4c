#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/engine/events/memory.h"
#include "model/nn/encoder/event_encoder.h"
#include "model/tasks/events/event_file.h"
#include "model/training/paper/experiments/best_epoch.h"
#include "model/training/paper/experiments/experiment.h"

namespace aaren::training {
namespace {

constexpr int64_t kBatch = 16, kTestBatch = 4, kEpochs = 6000, kPatience = 500;
constexpr double kRate = 5e-4, kEpsilon = 1e-5, kWeightPenalty = 1e-4;
constexpr double kUnit = 1e15;  // nanoseconds in 10^6 s

struct Sequence {
  std::vector<float> intervals;  // in 10^6 s; the first is 0
  std::vector<int64_t> marks;    // from 1 on
};

struct Data {
  std::vector<Sequence> train, validation, test;
  int64_t marks = 0;
};

// A batch of padded sequences, [B, N] each.
struct Batch {
  torch::Tensor intervals, marks;
  torch::Tensor lengths;  // [B]
};

// Where a dataset's streams are, and how they differ from the paper's.
struct Source {
  const char* dataset;
  std::vector<const char*> files;  // train, validation and test; or fewer, which are then divided anew
  const char* deviation;
};

Source SourceOf(const std::string& dataset) {
  if (dataset == "Wiki") {
    return {"Wiki",
            {"wikipedia/train", "wikipedia/val", "wikipedia/test"},
            "The paper's copy of Wiki is not known: the pages of ifl-tpp, 60/20/20 % in file order."};
  }
  if (dataset == "StackOverflow") {
    return {"StackOverflow",
            {"stackoverflow/train", "stackoverflow/val", "stackoverflow/test"},
            "Of StackOverflow's 4777 and 530 sequences of training and validation, those with public times."};
  }
  if (dataset == "Mooc") {
    return {"Mooc",
            {"mooc_partial/source_val", "mooc_partial/source_test"},
            "Of Mooc's 7047 sequences, the 2537 that are public, divided anew 60/20/20 %."};
  }
  return {"", {}, ""};
}

// Marks of all files by the order in which they occur.
class Numbering {
 public:
  std::vector<Sequence> Convert(const std::vector<events::EventStream>& streams) {
    std::vector<Sequence> sequences;
    for (const events::EventStream& stream : streams) {
      Sequence sequence;
      for (size_t i = 0; i < stream.times_ns.size(); ++i) {
        const int64_t before = stream.times_ns[i == 0 ? 0 : i - 1];
        sequence.intervals.push_back(
            static_cast<float>(events::NanosecondsBetween(before, stream.times_ns[i]) / kUnit));
        sequence.marks.push_back(numbers_.try_emplace(stream.marks[i], numbers_.size() + 1).first->second);
      }
      sequences.push_back(std::move(sequence));
    }
    return sequences;
  }

  int64_t count() const { return static_cast<int64_t>(numbers_.size()); }

 private:
  std::map<uint64_t, int64_t> numbers_;
};

// Divides sequences 60/20/20 % in their order.
void Divide(std::vector<Sequence> all, Data& data) {
  const auto count = static_cast<double>(all.size());
  const auto train = all.begin() + static_cast<int64_t>(0.6 * count);
  const auto validation = train + static_cast<int64_t>(0.2 * count);
  data.train.assign(all.begin(), train);
  data.validation.assign(train, validation);
  data.test.assign(validation, all.end());
}

absl::StatusOr<Data> ReadData(const Source& source, const PaperSettings& settings) {
  Numbering numbering;
  std::vector<std::vector<Sequence>> parts;
  for (const char* file : source.files) {
    const absl::StatusOr<std::vector<events::EventStream>> streams =
        events::ReadEventFile(absl::StrCat(settings.data, "/", file, ".jsonl"), /*unit=*/1);
    if (!streams.ok()) return streams.status();
    parts.push_back(numbering.Convert(*streams));
  }
  Data data;
  if (parts.size() == 3) {
    data = {.train = std::move(parts[0]), .validation = std::move(parts[1]), .test = std::move(parts[2])};
  } else {
    std::vector<Sequence> all;
    for (std::vector<Sequence>& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
    Divide(std::move(all), data);
  }
  data.marks = numbering.count();
  return data;
}

Batch BatchOf(const std::vector<Sequence>& sequences, const std::vector<int64_t>& order, size_t first, size_t count) {
  size_t longest = 2;
  for (size_t i = 0; i < count; ++i) longest = std::max(longest, sequences[order[first + i]].marks.size());
  const auto rows = static_cast<int64_t>(count), columns = static_cast<int64_t>(longest);
  Batch batch = {torch::zeros({rows, columns}), torch::zeros({rows, columns}, torch::kInt64),
                 torch::empty({rows}, torch::kInt64)};
  for (int64_t i = 0; i < rows; ++i) {
    const Sequence& one = sequences[order[first + i]];
    const auto length = static_cast<int64_t>(one.marks.size());
    batch.intervals[i].narrow(0, 0, length).copy_(torch::tensor(one.intervals));
    batch.marks[i].narrow(0, 0, length).copy_(torch::tensor(one.marks));
    batch.lengths[i] = length;
  }
  return batch;
}

std::vector<int64_t> Order(const torch::Tensor& places) {
  const auto* first = places.const_data_ptr<int64_t>();
  return {first, first + places.numel()};
}

// The forecasts of a batch, at the events that are forecast: all but the first of each sequence.
struct Forecast {
  torch::Tensor forecast;        // [B, N - 1], true where there is such an event
  torch::Tensor log_likelihood;  // the sum over the batch
  torch::Tensor error;           // predicted less true interval, [B, N - 1], 0 elsewhere
  torch::Tensor right;           // number of marks named
};

Forecast ForecastBatch(nn::EventEncoder& model, const Batch& batch) {
  const int64_t last = batch.marks.size(1) - 1;
  const torch::Tensor hidden = model(batch.intervals, batch.marks).narrow(1, 0, last);
  const torch::Tensor target = batch.intervals.narrow(1, 1, last), marks = batch.marks.narrow(1, 1, last) - 1;
  const torch::Tensor places = torch::arange(1, last + 1).unsqueeze(0), lengths = batch.lengths.unsqueeze(1);
  const torch::Tensor known = places.lt(lengths), open = places.eq(lengths - 1), ended = places.lt(lengths - 1);
  // The interval before a sequence's last event counts as unfinished, as in the code base.
  Forecast forecast;
  forecast.forecast = known;
  forecast.log_likelihood = model->Interval(hidden.index({ended})).LogDensity(target.index({ended})).sum() +
                            model->Interval(hidden.index({open})).LogSurvival(target.index({open})).sum();
  const torch::Tensor mean = model->Interval(hidden.index({known})).Mean();
  forecast.error = torch::zeros_like(target).masked_scatter(known, mean.detach() - target.index({known}));
  if (model->options.marks > 1) {
    const torch::Tensor logs = model->Mark(hidden.index({known})), named = marks.index({known});
    forecast.log_likelihood = forecast.log_likelihood + logs.gather(1, named.unsqueeze(1)).sum();
    forecast.right = logs.argmax(-1).eq(named).sum();
  }
  return forecast;
}

struct Scores {
  double nll = 0, accuracy = 0, rmse = 0, usual_rmse = 0;
};

class Training {
 public:
  Training(const PaperCell& cell, const PaperSettings& settings, const Data& data)
      : epochs_(settings.epochs > 0 ? settings.epochs : kEpochs),
        patience_(settings.patience > 0 ? settings.patience : kPatience),
        data_(data),
        model_(nn::EventEncoderOptions{.marks = data.marks, .aaren = cell.aaren}),
        optimizer_(model_->parameters(), torch::optim::AdamOptions(kRate).eps(kEpsilon)) {}

  PaperResult Run(const EpochReport& report) {
    PaperResult result;
    result.parameters = ParameterCount(*model_);
    BestEpoch best(*model_);  // by RMSE; the end is by NLL
    double least = INFINITY;
    int64_t since = 0;
    while (result.epochs < epochs_ && since < patience_) {
      const double loss = Epoch();
      const Scores validation = Score(data_.validation);
      ++result.epochs;
      best.Take(validation.rmse);
      since = validation.nll < least ? 0 : since + 1;
      least = std::min(least, validation.nll);
      result.curves["training loss"].push_back(loss);
      result.curves["validation NLL"].push_back(validation.nll);
      result.curves["validation RMSE"].push_back(validation.rmse);
      report(absl::StrFormat("%d of at most %d, loss %.4f, validation NLL %.4f, RMSE %.4f", result.epochs, epochs_,
                             loss, validation.nll, validation.rmse));
    }
    best.Restore();
    const Scores test = Score(data_.test);
    result.scores = {{"NLL", test.nll}, {"RMSE", test.rmse}, {"RMSE, usual", test.usual_rmse}};
    if (data_.marks > 1) result.scores["accuracy %"] = test.accuracy;
    return result;
  }

 private:
  // The mean negative log-likelihood of a training event.
  double Epoch() {
    model_->train();
    const std::vector<int64_t> order = Order(torch::randperm(static_cast<int64_t>(data_.train.size())));
    double sum = 0, events = 0;
    for (size_t first = 0; first < order.size(); first += kBatch) {
      const Batch batch = BatchOf(data_.train, order, first, std::min<size_t>(kBatch, order.size() - first));
      const torch::Tensor likelihood = ForecastBatch(model_, batch).log_likelihood;
      torch::Tensor squares = torch::zeros({});
      for (const torch::Tensor& parameter : model_->parameters()) squares = squares + parameter.square().sum();
      optimizer_.zero_grad();
      (kWeightPenalty * 0.5 * squares - likelihood).backward();
      optimizer_.step();
      sum -= likelihood.item<double>();
      events += batch.lengths.sum().item<double>();
    }
    return sum / events;
  }

  Scores Score(const std::vector<Sequence>& sequences) {
    torch::NoGradGuard no_grad;
    model_->eval();
    const std::vector<int64_t> order = Order(torch::arange(static_cast<int64_t>(sequences.size())));
    double events = 0, forecast = 0, likelihood = 0, right = 0, squares_of_sums = 0, squares = 0;
    for (size_t first = 0; first < order.size(); first += kTestBatch) {
      const Batch batch = BatchOf(sequences, order, first, std::min<size_t>(kTestBatch, order.size() - first));
      const Forecast one = ForecastBatch(model_, batch);
      const torch::Tensor error = one.error.to(torch::kFloat64);
      events += batch.lengths.sum().item<double>();
      forecast += one.forecast.sum().item<double>();
      likelihood += one.log_likelihood.item<double>();
      right += one.right.defined() ? one.right.item<double>() : 0;
      squares_of_sums += error.sum(1).square().sum().item<double>();
      squares += error.square().sum().item<double>();
    }
    return {.nll = -likelihood / events,
            .accuracy = 100 * right / forecast,
            .rmse = std::sqrt(squares_of_sums / forecast),
            .usual_rmse = std::sqrt(squares / forecast)};
  }

  const int64_t epochs_, patience_;
  const Data& data_;
  nn::EventEncoder model_;
  torch::optim::Adam optimizer_;
};

}  // namespace

absl::StatusOr<PaperResult> RunEvents(const PaperCell& cell, const PaperSettings& settings, const EpochReport& report) {
  const Source source = SourceOf(cell.dataset);
  if (source.files.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no public data of ", cell.dataset, " are known; Wiki, StackOverflow and Mooc are"));
  }
  const absl::StatusOr<Data> data = ReadData(source, settings);
  if (!data.ok()) return data.status();
  PaperResult result = Training(cell, settings, *data).Run(report);
  result.deviations = {absl::StrCat(source.deviation, " ", data->train.size(), "/", data->validation.size(), "/",
                                    data->test.size(), " sequences, ", data->marks, " marks."),
                       "The paper's unit of time is not known: 10^6 s.",
                       "RMSE is the code base's, in which the errors of a sequence cancel each other."};
  return result;
}

}  // namespace aaren::training
