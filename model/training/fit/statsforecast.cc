#include "model/training/fit/statsforecast.h"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace aaren::training {
namespace {

using nlohmann::json;

constexpr size_t kHistory = 1024;  // rows: with more of them, a fit takes minutes
constexpr int kNoLibrary = 3;      // exit status of the script

// Reads {"horizon", "jobs", "tasks": [{"method", "season", "history"}]} and writes a list of quantiles or null for each
// task. The mean of a symmetric interval is the median.
constexpr char kScript[] = R"(
import json, multiprocessing, sys, warnings
request = json.load(sys.stdin)
try:
    from statsforecast import models
    import numpy as np
except ImportError:
    sys.exit(3)
COLUMNS = ["lo-80", "lo-60", "lo-40", "lo-20", "mean", "hi-20", "hi-40", "hi-60", "hi-80"]

def fit(task):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = getattr(models, task["method"])(season_length=task["season"])
            made = model.forecast(y=np.array(task["history"]), h=request["horizon"], level=[20, 40, 60, 80])
        quantiles = np.stack([made[column] for column in COLUMNS], axis=1)
        return quantiles.ravel().tolist() if np.isfinite(quantiles).all() else None
    except Exception:
        return None

with multiprocessing.Pool(request["jobs"]) as pool:
    json.dump(list(pool.imap(fit, request["tasks"])), sys.stdout)
)";

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

// The newest rows before the origin. Missing rows lie on the line between their neighbours, or repeat the only one.
std::vector<double> Interpolated(const std::vector<double>& values, size_t origin) {
  const size_t size = std::min(origin, kHistory);
  std::vector<double> history(values.begin() + static_cast<ptrdiff_t>(origin - size),
                              values.begin() + static_cast<ptrdiff_t>(origin));
  size_t before = size;  // the last row present; `size`: none yet
  for (size_t t = 0; t < size; ++t) {
    if (std::isnan(history[t])) continue;
    const size_t first = before == size ? 0 : before + 1;
    for (size_t i = first; i < t; ++i) {
      const double share = before == size ? 1 : static_cast<double>(i - before) / static_cast<double>(t - before);
      history[i] = before == size ? history[t] : history[before] + share * (history[t] - history[before]);
    }
    before = t;
  }
  for (size_t i = before == size ? 0 : before + 1; i < size; ++i) history[i] = before == size ? 0 : history[before];
  return history;
}

json Request(const std::vector<std::string>& methods, const Backtest& backtest, int jobs) {
  json tasks = json::array();
  for (const std::string& method : methods) {
    for (const BacktestSeries& series : backtest.series) {
      for (size_t origin : series.origins) {
        tasks.push_back(
            {{"method", method}, {"season", series.season}, {"history", Interpolated(series.values, origin)}});
      }
    }
  }
  return {{"horizon", backtest.horizon}, {"jobs", jobs}, {"tasks", std::move(tasks)}};
}

// Runs the script between two files. The exit status, or -1 if python3 cannot be started or was killed.
int RunScript(FILE* input, FILE* output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input), 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), 1);
  std::string words[] = {"python3", "-c", kScript};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process;
  const int error = posix_spawnp(&process, "python3", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return kNoLibrary;
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string Contents(FILE* file) {
  std::string text;
  char buffer[1 << 16];
  std::rewind(file);
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), file)) text.append(buffer, count);
  return text;
}

}  // namespace

absl::StatusOr<std::vector<Forecasts>> StatsforecastForecasts(const std::vector<std::string>& methods,
                                                              const Backtest& backtest, int jobs) {
  const File input(std::tmpfile(), std::fclose), output(std::tmpfile(), std::fclose);
  if (input == nullptr || output == nullptr) return absl::UnavailableError("no temporary file can be made");
  const std::string request = Request(methods, backtest, jobs).dump();
  const bool written = std::fwrite(request.data(), 1, request.size(), input.get()) == request.size();
  if (!written || std::fflush(input.get()) != 0) return absl::UnavailableError("the disk for temporary files is full");
  std::rewind(input.get());
  const int exit = RunScript(input.get(), output.get());
  if (exit == kNoLibrary) return absl::NotFoundError("python3 has no statsforecast (pip install statsforecast)");
  const json answer = json::parse(Contents(output.get()), nullptr, /*allow_exceptions=*/false);
  if (exit != 0 || !answer.is_array()) {
    return absl::UnavailableError(absl::StrCat("python3 with statsforecast ended with exit status ", exit));
  }
  auto next = answer.begin();
  std::vector<Forecasts> all;
  for (size_t m = 0; m < methods.size(); ++m) {
    all.emplace_back();
    for (const BacktestSeries& series : backtest.series) {
      all.back().emplace_back();
      for (size_t i = 0; i < series.origins.size() && next != answer.end(); ++i, ++next) {
        all.back().back().push_back(next->is_null() ? WindowQuantiles() : next->get<WindowQuantiles>());
      }
    }
  }
  return all;
}

}  // namespace aaren::training
