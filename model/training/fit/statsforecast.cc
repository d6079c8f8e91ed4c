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

// Reads {"horizon", "jobs", "levels", "tasks": [{"method", "season", "history"}]} and writes a list of quantiles or
// null for each task. A level is an end of a symmetric interval, whose mean is the median. Levels were floats: four
// digits of a percent are theirs.
constexpr char kScript[] = R"(
import json, math, multiprocessing, sys, warnings
request = json.load(sys.stdin)
try:
    from statsforecast import models
    import numpy as np
except ImportError:
    sys.exit(3)

def interval(level):
    percent = round(200 * abs(level - 0.5), 4)
    return int(percent) if percent == int(percent) else percent

def column(level):
    percent = interval(level)
    return f"{'lo' if level < 0.5 else 'hi'}-{percent}" if percent else "mean"

COLUMNS = [column(level) for level in request["levels"]]
INTERVALS = sorted({interval(level) for level in request["levels"]} - {0})

def fit(task):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = getattr(models, task["method"])(season_length=task["season"])
            made = model.forecast(y=np.array(task["history"]), h=request["horizon"], level=INTERVALS or None)
        quantiles = [float(made[name][step]) for step in range(request["horizon"]) for name in COLUMNS]
        return quantiles if all(map(math.isfinite, quantiles)) else None
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
  return {{"horizon", backtest.horizon}, {"jobs", jobs}, {"levels", backtest.levels}, {"tasks", std::move(tasks)}};
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

// True if the answer has a window for each of `tasks` tasks: null, or as many numbers as a window of the backtest has.
bool Fits(const json& answer, size_t tasks, const Backtest& backtest) {
  const size_t numbers = static_cast<size_t>(backtest.horizon) * backtest.levels.size();
  return answer.is_array() && answer.size() == tasks &&
         std::all_of(answer.begin(), answer.end(), [numbers](const json& window) {
           return window.is_null() ||
                  (window.is_array() && window.size() == numbers &&
                   std::all_of(window.begin(), window.end(), [](const json& number) { return number.is_number(); }));
         });
}

}  // namespace

absl::StatusOr<std::vector<Forecasts>> StatsforecastForecasts(const std::vector<std::string>& methods,
                                                              const Backtest& backtest, int jobs) {
  const File input(std::tmpfile(), std::fclose), output(std::tmpfile(), std::fclose);
  if (input == nullptr || output == nullptr) return absl::UnavailableError("no temporary file can be made");
  const json asked = Request(methods, backtest, jobs);
  const std::string request = asked.dump();
  const bool written = std::fwrite(request.data(), 1, request.size(), input.get()) == request.size();
  if (!written || std::fflush(input.get()) != 0) return absl::UnavailableError("the disk for temporary files is full");
  std::rewind(input.get());
  const int exit = RunScript(input.get(), output.get());
  if (exit == kNoLibrary) return absl::NotFoundError("python3 has no statsforecast (pip install statsforecast)");
  const json answer = json::parse(Contents(output.get()), nullptr, /*allow_exceptions=*/false);
  if (exit != 0) {
    return absl::UnavailableError(absl::StrCat("python3 with statsforecast ended with exit status ", exit));
  }
  if (!Fits(answer, asked["tasks"].size(), backtest)) {
    return absl::UnavailableError("python3 with statsforecast wrote other windows than the backtest has");
  }
  auto next = answer.begin();
  std::vector<Forecasts> all;
  for (size_t m = 0; m < methods.size(); ++m) {
    all.emplace_back();
    for (const BacktestSeries& series : backtest.series) {
      all.back().emplace_back();
      for (size_t i = 0; i < series.origins.size(); ++i, ++next) {
        all.back().back().push_back(next->is_null() ? WindowQuantiles() : next->get<WindowQuantiles>());
      }
    }
  }
  return all;
}

}  // namespace aaren::training
