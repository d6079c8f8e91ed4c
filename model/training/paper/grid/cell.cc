#include "model/training/paper/grid/cell.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "model/training/report/text_file.h"

namespace aaren::training {
namespace {

std::string ResultPath(const std::string& folder, const PaperCell& cell) {
  return absl::StrCat(folder, "/", cell.Name(), ".json");
}

}  // namespace

std::string PaperCell::Name() const { return absl::StrCat(task, "-", dataset, "-", mixer(), "-", seed); }

std::string PaperSettings::Text() const {
  return absl::StrCat("epochs=", epochs, " patience=", patience, " width=", width,
                      " embedding=", causal_embedding ? "causal" : "circular",
                      " products=", bfloat16_products ? "bfloat16" : "float32");
}

std::vector<std::string> PaperSettings::Deviations() const {
  std::vector<std::string> all;
  if (epochs > 0) all.push_back(absl::StrCat("At most ", epochs, " epochs."));
  if (patience > 0) all.push_back(absl::StrCat("Training ends after ", patience, " epochs without a better one."));
  if (width > 0)
    all.push_back(absl::StrCat("The network's width is ", width, ", and that of its MLPs four times as much."));
  if (causal_embedding) all.emplace_back("The embedding sees the last three steps, not a neighbour on each side.");
  if (bfloat16_products) all.emplace_back("Factors of products are rounded to bfloat16.");
  return all;
}

absl::Status SaveResult(const std::string& folder, const PaperCell& cell, const PaperSettings& settings,
                        const PaperResult& result) {
  const nlohmann::json json = {{"cell", cell.Name()},
                               {"settings", settings.Text()},
                               {"scores", result.scores},
                               {"curves", result.curves},
                               {"deviations", result.deviations},
                               {"parameters", result.parameters},
                               {"epochs", result.epochs},
                               {"seconds", result.seconds},
                               {"cpu_seconds", result.cpu_seconds},
                               {"peak_bytes", result.peak_bytes}};
  return ReplaceTextFile(ResultPath(folder, cell), json.dump(1) + "\n");
}

absl::StatusOr<PaperResult> LoadResult(const std::string& folder, const PaperCell& cell,
                                       const PaperSettings& settings) {
  const std::string path = ResultPath(folder, cell);
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("no ", path));
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    if (json.at("settings") != settings.Text()) {
      return absl::FailedPreconditionError(absl::StrCat(path, " was made with ", json.at("settings").get<std::string>(),
                                                        ", not with ", settings.Text(), "; choose another --output"));
    }
    return PaperResult{.scores = json.at("scores"),
                       .curves = json.at("curves"),
                       .deviations = json.at("deviations"),
                       .parameters = json.at("parameters"),
                       .epochs = json.at("epochs"),
                       .seconds = json.at("seconds"),
                       .cpu_seconds = json.at("cpu_seconds"),
                       .peak_bytes = json.at("peak_bytes")};
  } catch (const nlohmann::json::exception& e) {  // a result that is not ours; never thrown past this file
    return absl::DataLossError(absl::StrCat(path, " is no result: ", e.what(), "; delete it to run the cell again"));
  }
}

}  // namespace aaren::training
