// aaren-soak --server=PROGRAM --models=FOLDER; --help lists the other flags.
//
// Starts the server and drives it from several threads and streams with a random mix of everything allowed by the
// protocol and much that is forbidden, decided by the seed. Every forecast is compared, bit for bit, with a forecast by
// the engine in this process, value by value. The first broken promise is printed with the session's history; then the
// exit status is 1. Threads and the network do not follow the seed: two runs of a seed are alike, not the same.

#include <signal.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/command_line/flags.h"
#include "tests/e2e/soak/soak.h"

namespace aaren::soak {
namespace {

struct Settings {
  std::string server, models, model = "aaren-univariate", store = "rocksdb";
  std::string log = "/dev/null";
  absl::Duration duration = absl::Minutes(10);
  uint64_t seed = 1, flip = 0;
};

command_line::Flags Table(Settings& settings) {
  command_line::Flags flags(
      "aaren-soak --server=PROGRAM --models=FOLDER [flags]",
      "Drives a server with a random mix of all that the protocol allows, and compares each forecast bit for bit.");
  flags.Add("server", &settings.server, "the program aaren-server").Required();
  flags.Add("models", &settings.models, "the folder of its models").Required();
  flags.Add("model", &settings.model, "the model of every session");
  flags.Add("store", &settings.store, "where the server saves").OneOf({"rocksdb", "memory"});
  flags.Add("duration", &settings.duration, "how long");
  flags.Add("seed", &settings.seed, "it decides what is done, but not when threads and the network do it");
  flags.Add("log", &settings.log, "the file for the server's log");
  flags.Add("flip", &settings.flip, "flip a bit of the Nth forecast that is expected, to see the soak fail");
  return flags;
}

// A folder, removed by the destructor.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / absl::StrCat("aaren_soak_", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

int Main(const std::vector<std::string>& words) {
  Settings settings;
  const absl::StatusOr<command_line::Parsed> parsed = Table(settings).Parse(words);
  if (!parsed.ok()) {
    std::fprintf(stderr, "aaren-soak: %s\n", std::string(parsed.status().message()).c_str());
    return 2;
  }
  if (!parsed->answer.empty()) return std::fputs(parsed->answer.c_str(), stdout), 0;
  const auto oracle = Oracle::Load(absl::StrCat(settings.models, "/", settings.model));
  if (!oracle.ok()) {
    std::fprintf(stderr, "aaren-soak: %s\n", oracle.status().ToString().c_str());
    return 2;
  }
  const Folder folder;
  const std::string data_dir = settings.store == "memory" ? "" : folder.path();
  const std::unique_ptr<ServerProcess> server =
      ServerProcess::Start(settings.server, ServerFlags(settings.models, data_dir), settings.log);
  if (!server) return 2;
  World world(settings.seed, **oracle);
  world.address = server->address();
  world.flip = settings.flip;
  std::printf("seed %" PRIu64 ", %s\n", settings.seed, absl::FormatDuration(settings.duration).c_str());
  std::fflush(stdout);
  const bool held = Soak(world, *server).Run(settings.duration);
  std::printf("%s\n", held ? "every promise held" : "a promise was broken");
  return held ? 0 : 1;
}

}  // namespace
}  // namespace aaren::soak

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  return aaren::soak::Main(std::vector<std::string>(argv + 1, argv + argc));
}
