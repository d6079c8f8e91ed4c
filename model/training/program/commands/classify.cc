#include "model/training/program/commands/classify.h"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/command_line/flags.h"
#include "model/engine/classification/classifier_package.h"
#include "model/training/program/cpu.h"
#include "model/training/report/run_record.h"

namespace aaren::training {
namespace {

absl::Status WritePackage(const ClassifyLine& line, const ServedClassifier& made) {
  package::ModelPackage package;
  package.name = line.name;
  package.description = line.description;
  package.classifier = made.config;
  package.tensors = made.tensors;
  const RunRecord record = RecordHere(line.threads);
  package.training = {{"code_version", record.code_version},
                      {"command", line.command},
                      {"data", line.options.train},
                      {"date", record.date},
                      {"early_threshold", absl::StrFormat("%.2f", made.threshold)},
                      {"epochs", absl::StrCat(made.epochs)},
                      {"held_out_accuracy", absl::StrFormat("%.4f", made.held_out_accuracy / 100)},
                      {"held_out_loss", absl::StrFormat("%.5f", made.held_out_loss)},
                      {"machine", record.machine},
                      {"parameters", absl::StrCat(made.parameters)},
                      {"seed", absl::StrCat(line.options.seed)}};
  if (!made.test.empty()) {
    const double accuracy = classification::AccuracyByShare(made.test).back();
    package.training["test_accuracy"] = absl::StrFormat("%.4f", accuracy);
  }
  return classification::SaveClassifierPackage(line.output, package);
}

}  // namespace

absl::StatusOr<ClassifyLine> ParseClassify(int argc, char** argv) {
  ClassifyLine line;
  line.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  command_line::Flags flags("aaren-train classify --data=FILE_TRAIN.ts --output=FOLDER [--test=FILE_TEST.ts] [flags]",
                            "Trains a classifier of series, which the server serves: class probabilities after every "
                            "token.\nA fifth of the cases chooses the number of epochs; the model then learns from all "
                            "cases.");
  flags.Add("data", &line.options.train, "labelled series, a file in the .ts format; may end in .gz").Required();
  flags.Add("output", &line.output, "folder for the model package").Required();
  flags.Add("test", &line.options.test, "labelled series to score the model by");
  flags.Add("name", &line.name, "name of the model: a-z, 0-9 and -");
  flags.Add("description", &line.description, "a sentence about the model");
  flags.Add("epochs", &line.options.epochs, "epochs at most").Between(1, 100'000);
  flags.Add("seed", &line.options.seed, "seed of weights and order; two runs with one seed on one machine are equal");
  flags.Add("threads", &line.threads, "CPU threads").Between(1, 1024);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.ok()) return parsed.status();
  line.help = parsed->answer;
  if (!line.help.empty()) return line;
  if (absl::Status status = package::CheckName(line.name); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--name: ", status.message()));
  }
  line.command = absl::StrCat("aaren-train ", absl::StrJoin(argv, argv + argc, " "));
  return line;
}

absl::Status ClassifyProgram(const ClassifyLine& line, const std::function<bool()>& goes_on) {
  UseCpu(line.threads, /*bfloat16_products=*/false);
  // Asked before the training, not after.
  if (absl::Status status = package::CheckFolder(line.output); !status.ok()) return status;
  const EpochReport report = [](const std::string& text) { absl::FPrintF(stderr, "%s\n", text); };
  const absl::StatusOr<ServedClassifier> made = TrainServedClassifier(line.options, report, goes_on);
  if (!made.ok()) return made.status();
  if (absl::Status status = WritePackage(line, *made); !status.ok()) return status;
  absl::PrintF("%d epochs, accuracy on cases held back %.2f %%: wrote %s\n", made->epochs, made->held_out_accuracy,
               line.output);
  if (!made->test.empty()) absl::PrintF("%s", classification::ScoreTable(made->test, made->threshold));
  return absl::OkStatus();
}

}  // namespace aaren::training
