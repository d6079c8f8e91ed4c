#include "model/training/program/command_line.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "model/command_line/flags.h"
#include "model/package/package.h"

namespace aaren::training {
namespace {

constexpr char kSynthetic[] = "synthetic";  // the value of --data without CSV files

// Flags whose values are parsed further, as typed.
struct Texts {
  std::string data = kSynthetic, columns, validation_csv, device = "cpu", products = "float32";
  std::string quantiles = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9";
};

void AddData(command_line::Flags& flags, CommandLine& line, Texts& texts) {
  TrainOptions& options = line.options;
  flags.Add("data", &texts.data, "\"synthetic\", or CSV files, separated by commas");
  flags.Add("columns", &texts.columns,
            "columns of the CSV files to train on, separated by commas; empty: every column of numbers");
  flags.Add("output", &line.output, "folder for the model package (required)");
  flags.Add("name", &line.name, "name of the model: a-z, 0-9 and -");
  flags.Add("description", &line.description, "a sentence about the model");
  flags.Add("seed", &options.seed,
            "seed of weights and data; two runs with one seed and as many CPU threads are equal");
  flags.Add("data_seed", &line.data_seed,
            "seed of the data alone, so that runs of several seeds see the same; 0: as --seed");
  flags.Add("init", &line.init,
            "folder of a package whose weights to begin with, where names and shapes agree; empty: random weights");
  flags.Add("validation_csv", &texts.validation_csv,
            "CSV files, separated by commas, to score at each check; FILE:96 has a season of 96 values, else it is 1.\n"
            "For the report: nothing is chosen by it");
}

void AddRun(command_line::Flags& flags, CommandLine& line, Texts& texts) {
  TrainOptions& options = line.options;
  flags.Add("steps", &options.steps, "training steps");
  flags.Add("threads", &line.threads, "CPU threads").Between(1, 1024);
  flags.Add("device", &texts.device, "cpu, or cuda: a GPU, with this many CPU threads to draw data for it")
      .OneOf({"cpu", "cuda"});
  flags
      .Add("products", &texts.products,
           "float32, or bfloat16: a CPU's products of matrices round their factors to bfloat16, and sum in float32.\n"
           "Faster where it has instructions for that (AMX, AVX512-BF16); elsewhere as float32")
      .OneOf({"float32", "bfloat16"});
  flags.Add("batch", &options.rows, "crops a step");
  flags.Add("context", &options.context, "values in a crop of middle length");
  flags.Add("lr", &options.optimizer.rate, "learning rate of AdamW");
  flags.Add("muon_lr", &options.optimizer.muon_rate, "learning rate of Muon");
  flags.Add("clip", &options.optimizer.clip, "largest norm of the gradients");
  flags.Add("average", &options.average, "share that the moving average of the weights keeps at a step");
  flags.Add("checkpoint", &options.checkpoint, "folder for checkpoints; the same command resumes from there");
  flags.Add("checkpoint_every", &options.checkpoint_every, "steps between checkpoints");
  flags.Add("validate_every", &options.validate_every, "steps between checks on held-out series");
  flags.Add("patience", &options.patience, "stop after so many checks without a better one; 0: never");
}

void AddShape(command_line::Flags& flags, package::ForecasterConfig& config, Texts& texts) {
  flags.Add("ring", &config.ring, "values of the series that a token sees directly");
  flags.Add("width", &config.width, "width of a token");
  flags.Add("layers", &config.layers, "Aaren blocks");
  flags.Add("heads", &config.heads, "attention heads");
  flags.Add("value_width", &config.value_width, "attention values, all heads together");
  flags.Add("embed_hidden", &config.embed_hidden, "hidden width of the embedding");
  flags.Add("mlp_hidden", &config.mlp_hidden, "hidden width of a block's MLP");
  flags.Add("fold_every", &config.fold_every, "values between two folds into the state");
  flags.Add("history", &config.history, "values over which the running normaliser averages");
  flags.Add("horizon", &config.horizon, "steps ahead");
  flags.Add("seasons", &config.seasons, "whether the network sees the series' seasons");
  flags.Add("quantiles", &texts.quantiles, "levels to forecast, ascending, 0.5 in the middle");
}

absl::StatusOr<std::vector<float>> Quantiles(const std::string& text) {
  std::vector<float> levels;
  for (absl::string_view field : absl::StrSplit(text, ',')) {
    levels.emplace_back();
    if (!absl::SimpleAtof(field, &levels.back())) {
      return absl::InvalidArgumentError(absl::StrCat("--quantiles=", text, ": \"", field, "\" is not a number"));
    }
  }
  return levels;
}

std::vector<std::string> Names(const std::string& text) { return absl::StrSplit(text, ',', absl::SkipWhitespace()); }

// Splits a file, or a file, a colon and the file's season.
absl::StatusOr<std::pair<std::string, int>> FileAndSeason(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return std::pair(text, 1);
  int season;
  if (absl::SimpleAtoi(text.substr(colon + 1), &season) && season >= 1) return std::pair(text.substr(0, colon), season);
  return absl::InvalidArgumentError(
      absl::StrCat("--validation_csv: the season of \"", text, "\" is not a number of values, 1 or more"));
}

absl::Status ReadTexts(const Texts& texts, CommandLine& line) {
  TrainOptions& options = line.options;
  absl::StatusOr<std::vector<float>> quantiles = Quantiles(texts.quantiles);
  if (!quantiles.ok()) return quantiles.status();
  options.config.quantiles = *std::move(quantiles);
  for (const std::string& file : Names(texts.validation_csv)) {
    absl::StatusOr<std::pair<std::string, int>> parsed = FileAndSeason(file);
    if (!parsed.ok()) return parsed.status();
    line.validation_csv.push_back(*std::move(parsed));
  }
  line.cuda = texts.device == "cuda";
  line.bfloat16_products = texts.products == "bfloat16";
  if (line.cuda && line.bfloat16_products) {
    return absl::InvalidArgumentError("--products=bfloat16 is for --device=cpu: a GPU multiplies in TF32");
  }
  if (texts.data != kSynthetic) line.csv_files = Names(texts.data);
  line.columns = Names(texts.columns);
  options.data = absl::StrCat(texts.data, ":", texts.columns);
  if (line.data_seed == 0) line.data_seed = options.seed;
  return options.config.Validate();
}

// Checks that a rate is above 0 and at most `most`. NaN and infinity fail as well.
absl::Status CheckRate(absl::string_view flag, double value, double most) {
  if (value > 0 && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, " is not above 0 and at most ", most));
}

absl::Status CheckRates(const TrainOptions& options) {
  absl::Status status = CheckRate("lr", options.optimizer.rate, 1);
  status.Update(CheckRate("muon_lr", options.optimizer.muon_rate, 1));
  status.Update(CheckRate("clip", options.optimizer.clip, 1e6));
  return status;
}

// The command as one would type it, with quotes around values with spaces.
std::string Typed(int argc, char** argv) {
  std::string text = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::pair<absl::string_view, absl::string_view> flag = absl::StrSplit(argv[i], absl::MaxSplits('=', 1));
    const bool spaces = absl::StrContains(flag.second, ' ');
    absl::StrAppend(&text, " ", spaces ? absl::StrCat(flag.first, "='", flag.second, "'") : argv[i]);
  }
  return text;
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv) {
  CommandLine line;
  line.options.config.seasons = true;
  Texts texts;
  command_line::Flags flags(
      "aaren-train --output=FOLDER [flags] | aaren-train fit|synth|events|evaluate-events [flags]",
      "Trains a streaming forecaster and writes it as a model package. aaren-train fit makes a model of your own data "
      "and\ncompares it with the bundled one; aaren-train synth writes "
      "series of the\ngenerator; aaren-train events trains a forecaster of events, and aaren-train "
      "evaluate-events scores one.\nEach has a --help of its own.");
  AddData(flags, line, texts);
  AddRun(flags, line, texts);
  AddShape(flags, line.options.config, texts);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.ok()) return parsed.status();
  line.help = parsed->answer;
  if (!line.help.empty()) return line;
  if (line.output.empty()) return absl::InvalidArgumentError("--output=FOLDER is required");
  if (absl::Status status = package::CheckName(line.name); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", status.message()));
  }
  if (absl::Status status = CheckRates(line.options); !status.ok()) return status;
  if (absl::Status status = ReadTexts(texts, line); !status.ok()) return status;
  line.text = Typed(argc, argv);
  line.flags = flags.Values();
  return line;
}

}  // namespace aaren::training
