#include "model/training/fit/fit_output.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_format.h"
#include "model/package/package.h"

namespace aaren::training {
namespace {

bool Exists(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(folder, error);
}

// The server takes the folder with the packages' folders.
std::string FolderAbove(const std::string& folder) {
  return std::filesystem::absolute(folder + "/.").lexically_normal().parent_path().parent_path().string();
}

}  // namespace

FitOutput::FitOutput(const FitLine& line) : line_(line), existed_(Exists(line.output)) {}

FitOutput::~FitOutput() {
  std::error_code error;
  if (!existed_) std::filesystem::remove(line_.output, error);  // a folder with files stays
}

absl::Status FitOutput::Check() const { return package::CheckFolder(line_.output); }

absl::Status FitOutput::Conclude(bool better, const std::string& reference,
                                 const std::function<absl::Status()>& save) const {
  if (!better) absl::PrintF("The new model is not better than %s.\n", reference);
  if (!better && !line_.keep) {
    absl::PrintF("Nothing was written; --keep writes the new model all the same.\n");
    return absl::OkStatus();
  }
  if (absl::Status status = save(); !status.ok()) return status;
  absl::PrintF("Wrote %s. To serve it: aaren-server --models=%s --default_model=%s\n", line_.output,
               FolderAbove(line_.output), line_.name);
  return absl::OkStatus();
}

}  // namespace aaren::training
