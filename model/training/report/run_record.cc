#include "model/training/report/run_record.h"

#include <sys/utsname.h>

#include <cmath>
#include <ctime>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/training/report/code_version.h"

namespace aaren::training {
namespace {

std::string Machine(int threads) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);) {
    if (absl::StartsWith(text, "model name"))
      return absl::StrCat(text.substr(text.find(':') + 2), ", ", threads, " thread(s)");
  }
  // CPUs of Arm have no such line; the architecture is all that is left to tell.
  utsname name;
  uname(&name);
  return absl::StrCat(name.machine, ", ", threads, " thread(s)");
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

RunRecord RecordHere(int threads) {
  RunRecord record;
  record.date = Today();
  record.machine = Machine(threads);
  record.code_version = CodeVersion();
  return record;
}

std::map<std::string, std::string> TrainingSummary(const RunRecord& record, const TrainResult& result) {
  std::map<std::string, std::string> summary = {{"code_version", record.code_version},
                                                {"command", record.command},
                                                {"data", record.data},
                                                {"data_seed", absl::StrCat(record.data_seed)},
                                                {"date", record.date},
                                                {"held_out_loss", absl::StrFormat("%.5f", result.held_out_loss)},
                                                {"machine", record.machine},
                                                {"parameters", absl::StrCat(result.parameters)},
                                                {"seconds", absl::StrFormat("%.0f", result.seconds)},
                                                {"seed", absl::StrCat(record.seed)},
                                                {"steps", absl::StrCat(result.steps)}};
  if (std::isfinite(result.held_out.coverage80)) {
    summary["held_out_coverage_80"] = absl::StrFormat("%.4f", result.held_out.coverage80);
  }
  if (std::isfinite(result.held_out.relative)) {
    summary["held_out_error_to_last_value"] = absl::StrFormat("%.4f", result.held_out.relative);
  }
  return summary;
}

}  // namespace aaren::training
