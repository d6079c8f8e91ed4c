#include "model/training/program/commands/paper.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "model/command_line/flags.h"
#include "model/training/paper/experiments/experiment.h"
#include "model/training/paper/grid/grid.h"
#include "model/training/paper/grid/paper_report.h"
#include "model/training/report/run_record.h"
#include "model/training/report/text_file.h"

namespace aaren::training {
namespace {

// The flags that are no variable of a PaperLine.
struct Words {
  std::string task = "classification", dataset, mixer = "softmax,aaren", seeds = "0-4";
  std::string embedding = "circular", products = "float32";
};

void AddFlags(command_line::Flags& flags, PaperLine& line, Words& words) {
  flags.Add("task", &words.task, "the table of the paper").OneOf({"classification", "forecasting", "events"});
  flags.Add("dataset", &words.dataset,
            "datasets, separated by commas, named as in the paper (required). For forecasting\n"
            "ETTh1 means all four horizons, and ETTh1-96 a single horizon");
  flags.Add("mixer", &words.mixer, "softmax (the Transformer), aaren, or both");
  flags.Add("seeds", &words.seeds, "seeds, like 0-4 or 0,2,5");
  flags.Add("data", &line.settings.data, "folder with a folder for each dataset; files may end in .gz (required)");
  flags.Add("output", &line.output, "folder for results, table and page; the same command goes on there (required)");
  flags.Add("threads", &line.threads, "CPU threads: as many cells run at once").Between(1, 1024);
  flags.Add("epochs", &line.settings.epochs, "epochs at most; 0: the paper's").AtLeast(0);
  flags.Add("patience", &line.settings.patience, "epochs without a better one before the end; 0: the paper's")
      .AtLeast(0);
  flags.Add("width", &line.settings.width, "forecasting: width of the network, a multiple of 8; 0: the paper's 512")
      .Between(0, 4096);
  flags
      .Add("embedding", &words.embedding,
           "of steps, not of events: circular, the code base's, or causal, which can be streamed")
      .OneOf({"circular", "causal"});
  flags.Add("products", &words.products, "float32, or bfloat16 on CPUs with instructions for it")
      .OneOf({"float32", "bfloat16"});
}

// Adds a value unless it is there: a cell that ran twice would count twice in means and deviations.
template <typename T>
void AddOnce(const T& value, std::vector<T>& values) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

absl::StatusOr<std::vector<uint64_t>> SeedsOf(const std::string& text) {
  constexpr uint64_t kMost = 1000;
  std::vector<uint64_t> seeds;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    uint64_t first = 0, last = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &first) || !absl::SimpleAtoi(ends.back(), &last) ||
        last < first || last - first >= kMost) {
      return absl::InvalidArgumentError(absl::StrCat("--seeds=", text, " is not like 0-4 or 0,2,5"));
    }
    for (uint64_t seed = first; seed <= last; ++seed) AddOnce(seed, seeds);
  }
  return seeds;
}

// The task's datasets that the flag names, at least one.
absl::StatusOr<std::vector<std::string>> ChosenDatasets(const Words& words) {
  const std::vector<std::string> known = DatasetsOf(words.task);
  const std::vector<std::string> names = absl::StrSplit(words.dataset, ',', absl::SkipEmpty());
  std::vector<std::string> chosen;
  for (const std::string& name : names) {
    bool found = false;
    for (const std::string& one : known) {
      const bool horizon = words.task == "forecasting" && one.substr(0, one.rfind('-')) == name;
      if (one != name && !horizon) continue;
      AddOnce(one, chosen);
      found = true;
    }
    if (found) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--dataset=", name, " is none of ", words.task, ": ", absl::StrJoin(known, ", ")));
  }
  if (chosen.empty()) return absl::InvalidArgumentError(absl::StrCat("--dataset=", words.dataset, " names no dataset"));
  return chosen;
}

absl::Status AddCells(const Words& words, PaperLine& line) {
  const absl::StatusOr<std::vector<uint64_t>> seeds = SeedsOf(words.seeds);
  if (!seeds.ok()) return seeds.status();
  const absl::StatusOr<std::vector<std::string>> datasets = ChosenDatasets(words);
  if (!datasets.ok()) return datasets.status();
  std::vector<std::string> mixers;
  for (const std::string& mixer : std::vector<std::string>(absl::StrSplit(words.mixer, ','))) {
    if (mixer != "aaren" && mixer != "softmax") {
      return absl::InvalidArgumentError(absl::StrCat("--mixer=", words.mixer, " is not softmax, aaren or both"));
    }
    AddOnce(mixer, mixers);
  }
  for (const std::string& dataset : *datasets) {
    for (const uint64_t seed : *seeds) {
      for (const std::string& mixer : mixers) {
        line.cells.push_back({.task = words.task, .dataset = dataset, .aaren = mixer == "aaren", .seed = seed});
      }
    }
  }
  return absl::OkStatus();
}

absl::Status WriteReports(const PaperLine& line, const std::vector<PaperResult>& results) {
  std::vector<CompleteCell> cells;
  for (size_t i = 0; i < results.size(); ++i) cells.push_back({.cell = line.cells[i], .result = results[i]});
  const std::string table = PaperTable(cells);
  absl::PrintF("%s", table);
  const RunRecord record = RecordHere(line.threads);
  const std::string machine = absl::StrCat(record.machine, ", ", record.date, ", code ", record.code_version);
  absl::Status status = ReplaceTextFile(line.output + "/table.md", table);
  if (status.ok()) {
    status = ReplaceTextFile(line.output + "/report.html", PaperPage(cells, line.command, machine));
  }
  return status;
}

}  // namespace

absl::StatusOr<PaperLine> ParsePaper(int argc, char** argv) {
  PaperLine line;
  Words words;
  line.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  command_line::Flags flags(
      "aaren-train paper --task=TASK --dataset=NAMES --data=FOLDER --output=FOLDER [flags]",
      "Repeats the comparison of \"Attention as an RNN\" between a Transformer and an Aaren. Each "
      "dataset, mixer\nand seed is a cell, whose result is kept: a killed grid goes on by the "
      "same command.");
  AddFlags(flags, line, words);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.ok()) return parsed.status();
  line.help = parsed->answer;
  if (!line.help.empty()) return line;
  const std::pair<const char*, const std::string*> required[] = {
      {"dataset=NAMES", &words.dataset}, {"data=FOLDER", &line.settings.data}, {"output=FOLDER", &line.output}};
  for (const auto& [flag, value] : required) {
    if (value->empty()) return absl::InvalidArgumentError(absl::StrCat("--", flag, " is required"));
  }
  if (line.settings.width % 8 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("--width=", line.settings.width, " is no multiple of 8"));
  }
  if (absl::Status status = AddCells(words, line); !status.ok()) return status;
  line.settings.causal_embedding = words.embedding == "causal";
  line.settings.bfloat16_products = words.products == "bfloat16";
  line.command = absl::StrCat("aaren-train ", absl::StrJoin(argv, argv + argc, " "));
  return line;
}

absl::Status PaperProgram(const PaperLine& line, const std::function<bool()>& goes_on) {
  const int cells = static_cast<int>(line.cells.size()), at_once = std::min(line.threads, cells);
  const GridOptions options = {.folder = line.output, .processes = at_once, .settings = line.settings};
  // More cores than cells: each cell takes its share.
  const int threads = line.threads / at_once;
  const absl::StatusOr<std::vector<PaperResult>> results = RunGrid(
      line.cells, options,
      [&](const PaperCell& cell, const EpochReport& report) {
        return RunPaperCell(cell, line.settings, threads, report);
      },
      goes_on);
  if (!results.ok()) return results.status();
  return WriteReports(line, *results);
}

}  // namespace aaren::training
