// aaren-soak --server=PROGRAM --models=FOLDER [--model=NAME] [--store=rocksdb|memory] [--duration=10m] [--seed=N]
//            [--log=FILE]
//
// Starts the server and drives it from several threads and streams with a random mix of everything that the protocol
// allows and much that it does not, decided by the seed. Every forecast is compared, bit for bit, with one that the
// engine makes here, value by value. The first broken promise is printed with the session's history; then the exit
// status is 1. Threads and the network are not the seed's: a run of one seed is alike, not the same.
//
// --flip=N flips a bit of the Nth forecast that is expected, to see the soak fail.

#include <signal.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/e2e/soak/soak.h"

namespace aaren::soak {
namespace {

struct Flags {
  std::string server, models, model = "aaren-univariate", store = "rocksdb";
  std::string log = "/dev/null";
  absl::Duration duration = absl::Minutes(10);
  uint64_t seed = 1, flip = 0;
};

bool TakeText(absl::string_view flag, absl::string_view name, std::string& text) {
  if (!absl::ConsumePrefix(&flag, name)) return false;
  text = std::string(flag);
  return true;
}

bool Take(absl::string_view argument, Flags& flags) {
  absl::string_view flag = argument;
  if (TakeText(flag, "--server=", flags.server) || TakeText(flag, "--models=", flags.models) ||
      TakeText(flag, "--model=", flags.model) || TakeText(flag, "--log=", flags.log) ||
      TakeText(flag, "--store=", flags.store)) {
    return true;
  }
  if (absl::ConsumePrefix(&flag, "--duration=")) return absl::ParseDuration(flag, &flags.duration);
  if (absl::ConsumePrefix(&flag, "--seed=")) return absl::SimpleAtoi(flag, &flags.seed);
  return absl::ConsumePrefix(&flag, "--flip=") && absl::SimpleAtoi(flag, &flags.flip);
}

// A folder that goes with this.
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

int Main(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    if (Take(argv[i], flags)) continue;
    std::fprintf(stderr, "aaren-soak: cannot use '%s'; see the head of main.cc\n", argv[i]);
    return 2;
  }
  const auto oracle = Oracle::Load(absl::StrCat(flags.models, "/", flags.model));
  if (!oracle.ok()) {
    std::fprintf(stderr, "aaren-soak: %s\n", oracle.status().ToString().c_str());
    return 2;
  }
  const Folder folder;
  const std::string data_dir = flags.store == "memory" ? "" : folder.path();
  const std::unique_ptr<ServerProcess> server =
      ServerProcess::Start(flags.server, ServerFlags(flags.models, data_dir), flags.log);
  if (!server) return 2;
  World world(flags.seed, **oracle);
  world.address = server->address();
  world.flip = flags.flip;
  std::printf("seed %" PRIu64 ", %s\n", flags.seed, absl::FormatDuration(flags.duration).c_str());
  std::fflush(stdout);
  const bool held = Soak(world, *server).Run(flags.duration);
  std::printf("%s\n", held ? "every promise held" : "a promise was broken");
  return held ? 0 : 1;
}

}  // namespace
}  // namespace aaren::soak

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  return aaren::soak::Main(argc, argv);
}
