#include "model/training/program/command_line.h"

#include <algorithm>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "model/tasks/forecasting/synthetic.h"

ABSL_FLAG(std::string, data, "synthetic", "\"synthetic\", or CSV files, separated by commas");
ABSL_FLAG(std::string, columns, "",
          "columns of the CSV files to train on, separated by commas; empty: every column of numbers");
ABSL_FLAG(std::string, output, "", "folder for the model package (required)");
ABSL_FLAG(std::string, name, "aaren-custom", "name of the model: a-z, 0-9 and -");
ABSL_FLAG(std::string, description, "", "a sentence about the model");
ABSL_FLAG(int64_t, steps, 2400, "training steps");
ABSL_FLAG(uint64_t, seed, 1, "seed of weights and data; two runs with one seed and as many CPU threads are equal");
ABSL_FLAG(uint64_t, data_seed, 0, "seed of the data alone, so that runs of several seeds see the same; 0: as --seed");
ABSL_FLAG(int, threads, 1, "CPU threads");
ABSL_FLAG(std::string, device, "cpu", "cpu, or cuda: a GPU, with this many CPU threads to draw data for it");
ABSL_FLAG(int, batch, 64, "crops a step");
ABSL_FLAG(int, context, 1024, "values in a crop of middle length");
ABSL_FLAG(double, lr, 4e-3, "learning rate of AdamW");
ABSL_FLAG(double, muon_lr, 0.02, "learning rate of Muon");
ABSL_FLAG(double, clip, 1, "largest norm of the gradients");
ABSL_FLAG(double, average, 0.998, "share that the moving average of the weights keeps at a step");
ABSL_FLAG(std::string, checkpoint, "", "folder for checkpoints; the same command resumes from there");
ABSL_FLAG(int64_t, checkpoint_every, 100, "steps between checkpoints");
ABSL_FLAG(int64_t, validate_every, 100, "steps between checks on held-out series");
ABSL_FLAG(
    std::string, validation_csv, "",
    "CSV files, separated by commas, to score at each check; FILE:96 has a season of 96 values, else it is 1. For "
    "the report: nothing is chosen by it");
ABSL_FLAG(int, patience, 10, "stop after so many checks without a better one; 0: never");
ABSL_FLAG(int, ring, 192, "values of the series that a token sees directly");
ABSL_FLAG(int, width, 96, "width of a token");
ABSL_FLAG(int, layers, 3, "Aaren blocks");
ABSL_FLAG(int, heads, 8, "attention heads");
ABSL_FLAG(int, value_width, 128, "attention values, all heads together");
ABSL_FLAG(int, embed_hidden, 192, "hidden width of the embedding");
ABSL_FLAG(int, mlp_hidden, 192, "hidden width of a block's MLP");
ABSL_FLAG(int, fold_every, 16, "values between two folds into the state");
ABSL_FLAG(int, history, 1024, "values over which the running normaliser averages");
ABSL_FLAG(int, horizon, 48, "steps ahead");
ABSL_FLAG(bool, seasons, true, "whether the network sees the series' seasons");
ABSL_FLAG(std::string, init, "",
          "folder of a package whose weights to begin with, where names and shapes agree; empty: random weights");
ABSL_FLAG(std::string, quantiles, "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9",
          "levels to forecast, ascending, 0.5 in the middle");

namespace aaren::training {
namespace {

constexpr absl::string_view kFlags[] = {"data",        "columns",
                                        "output",      "name",
                                        "description", "steps",
                                        "seed",        "threads",
                                        "batch",       "context",
                                        "lr",          "muon_lr",
                                        "checkpoint",  "ring",
                                        "width",       "checkpoint_every",
                                        "layers",      "validate_every",
                                        "patience",    "heads",
                                        "value_width", "embed_hidden",
                                        "mlp_hidden",  "horizon",
                                        "fold_every",  "history",
                                        "quantiles",   "clip",
                                        "average",     "validation_csv",
                                        "data_seed",   "device",
                                        "seasons",     "init"};

absl::Status SetFlag(absl::Span<const absl::string_view> known, absl::string_view name, absl::string_view value) {
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    return absl::InvalidArgumentError(absl::StrCat("unknown flag --", name, "; --help lists the flags"));
  }
  std::string error;
  if (absl::FindCommandLineFlag(name)->ParseFrom(value, &error)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, "=", value, ": ", error.empty() ? "not a valid value" : error));
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

// A file, or a file, a colon and its season.
absl::StatusOr<std::pair<std::string, int>> FileAndSeason(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return std::pair(text, 1);
  int season;
  if (absl::SimpleAtoi(text.substr(colon + 1), &season) && season >= 1) return std::pair(text.substr(0, colon), season);
  return absl::InvalidArgumentError(
      absl::StrCat("--validation_csv: the season of \"", text, "\" is not a number of values, 1 or more"));
}

absl::Status FillConfig(package::ForecasterConfig& config) {
  config.ring = absl::GetFlag(FLAGS_ring);
  config.width = absl::GetFlag(FLAGS_width);
  config.layers = absl::GetFlag(FLAGS_layers);
  config.heads = absl::GetFlag(FLAGS_heads);
  config.value_width = absl::GetFlag(FLAGS_value_width);
  config.embed_hidden = absl::GetFlag(FLAGS_embed_hidden);
  config.mlp_hidden = absl::GetFlag(FLAGS_mlp_hidden);
  config.fold_every = absl::GetFlag(FLAGS_fold_every);
  config.history = absl::GetFlag(FLAGS_history);
  config.horizon = absl::GetFlag(FLAGS_horizon);
  config.seasons = absl::GetFlag(FLAGS_seasons);
  absl::StatusOr<std::vector<float>> quantiles = Quantiles(absl::GetFlag(FLAGS_quantiles));
  if (!quantiles.ok()) return quantiles.status();
  config.quantiles = *std::move(quantiles);
  return config.Validate();
}

void FillTraining(TrainOptions& options) {
  options.seed = absl::GetFlag(FLAGS_seed);
  options.steps = absl::GetFlag(FLAGS_steps);
  options.rows = absl::GetFlag(FLAGS_batch);
  options.context = absl::GetFlag(FLAGS_context);
  options.optimizer.rate = absl::GetFlag(FLAGS_lr);
  options.optimizer.muon_rate = absl::GetFlag(FLAGS_muon_lr);
  options.optimizer.clip = absl::GetFlag(FLAGS_clip);
  options.average = absl::GetFlag(FLAGS_average);
  options.checkpoint = absl::GetFlag(FLAGS_checkpoint);
  options.checkpoint_every = absl::GetFlag(FLAGS_checkpoint_every);
  options.validate_every = absl::GetFlag(FLAGS_validate_every);
  options.patience = absl::GetFlag(FLAGS_patience);
  options.data = absl::StrCat(absl::GetFlag(FLAGS_data), ":", absl::GetFlag(FLAGS_columns));
  if (absl::GetFlag(FLAGS_data) == "synthetic")
    absl::StrAppend(&options.data, "generator ", forecasting::kGeneratorEdition);
  if (const uint64_t seed = absl::GetFlag(FLAGS_data_seed); seed != 0) absl::StrAppend(&options.data, ":seed ", seed);
}

// As it would be typed: a value with spaces in quotes.
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

absl::Status SetFlags(absl::Span<const absl::string_view> known, int argc, char** argv, bool& help) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") help = true;
    if (help) return absl::OkStatus();
    if (!absl::ConsumePrefix(&argument, "--")) {
      return absl::InvalidArgumentError(absl::StrCat("\"", argument, "\" is not a flag; flags are --name=value"));
    }
    std::pair<absl::string_view, absl::string_view> flag = absl::StrSplit(argument, absl::MaxSplits('=', 1));
    if (!absl::StrContains(argument, '=')) {
      if (++i == argc) return absl::InvalidArgumentError(absl::StrCat("--", argument, " needs a value"));
      flag.second = argv[i];
    }
    const absl::Status status = SetFlag(known, flag.first, flag.second);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::string ListFlags(absl::Span<const absl::string_view> names) {
  std::string text;
  for (absl::string_view name : names) {
    const absl::CommandLineFlag& flag = *absl::FindCommandLineFlag(name);
    absl::StrAppendFormat(&text, "  --%-18s %s (default: \"%s\")\n", name, flag.Help(), flag.DefaultValue());
  }
  return text;
}

absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv) {
  CommandLine line;
  absl::Status status = SetFlags(kFlags, argc, argv, line.help);
  if (line.help || !status.ok()) return status.ok() ? absl::StatusOr<CommandLine>(line) : status;
  status = FillConfig(line.options.config);
  if (!status.ok()) return status;
  FillTraining(line.options);
  const uint64_t data_seed = absl::GetFlag(FLAGS_data_seed);
  line.data_seed = data_seed != 0 ? data_seed : line.options.seed;
  line.threads = absl::GetFlag(FLAGS_threads);
  const std::string device = absl::GetFlag(FLAGS_device);
  if (device != "cpu" && device != "cuda") {
    return absl::InvalidArgumentError(absl::StrCat("--device=", device, " is neither cpu nor cuda"));
  }
  line.cuda = device == "cuda";
  if (line.threads < 1)
    return absl::InvalidArgumentError(absl::StrCat("--threads=", line.threads, " must be at least 1"));
  line.init = absl::GetFlag(FLAGS_init);
  line.output = absl::GetFlag(FLAGS_output);
  if (line.output.empty()) return absl::InvalidArgumentError("--output=FOLDER is required");
  if (absl::GetFlag(FLAGS_data) != "synthetic") line.csv_files = Names(absl::GetFlag(FLAGS_data));
  line.columns = Names(absl::GetFlag(FLAGS_columns));
  for (const std::string& file : Names(absl::GetFlag(FLAGS_validation_csv))) {
    absl::StatusOr<std::pair<std::string, int>> parsed = FileAndSeason(file);
    if (!parsed.ok()) return parsed.status();
    line.validation_csv.push_back(*std::move(parsed));
  }
  line.name = absl::GetFlag(FLAGS_name);
  line.description = absl::GetFlag(FLAGS_description);
  line.text = Typed(argc, argv);
  for (absl::string_view name : kFlags) {
    line.flags.emplace_back(name, absl::FindCommandLineFlag(name)->CurrentValue());
  }
  return line;
}

std::string Help() {
  return absl::StrCat("aaren-train: trains a streaming forecaster and writes it as a model package. ",
                      "aaren-train synth: writes series of the generator; it has a --help of its own.\n\n",
                      ListFlags(kFlags));
}

}  // namespace aaren::training
