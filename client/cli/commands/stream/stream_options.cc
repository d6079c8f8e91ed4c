#include "client/cli/commands/stream/stream_options.h"

#include <unistd.h>

#include <climits>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::cli {
namespace {

std::string RandomSession() {
  absl::BitGen random;
  return absl::StrFormat("stream-%016x", absl::Uniform<uint64_t>(random));
}

// The same for the same file on the same machine: FNV-1a over both names.
std::string SessionOfOutput(const std::string& output) {
  char host[HOST_NAME_MAX + 1] = {};
  // Two machines may have records of the same path.
  gethostname(host, HOST_NAME_MAX);
  std::error_code error;
  // A record stays the same record under another name of its path.
  const std::filesystem::path path = std::filesystem::weakly_canonical(std::filesystem::absolute(output, error), error);
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : absl::StrCat(host, "\n", path.string())) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return absl::StrFormat("output-%016x", hash);
}

}  // namespace

ForecastStreamOptions StreamOptions(const StreamFlags& stream) {
  ForecastStreamOptions options{.target = stream.connection.target,
                                .channel = stream.channel,
                                .source = stream.SourceName(),
                                .session = stream.session,
                                .model = stream.model,
                                .horizon = stream.horizon,
                                .every = stream.every,
                                .levels = stream.quantiles.levels,
                                .refinement = stream.refinement,
                                .durability = stream.durability,
                                .durable = !stream.output.empty(),
                                .alerts_only = stream.alerts_only,
                                .connect_timeout = stream.connect_timeout};
  if (stream.alert) options.alert.emplace(*stream.alert, stream.alert_early);
  // A record finds its session again by the path of the file. Without a record the session ends with the program.
  if (stream.session.empty()) {
    options.owned = options.durable;
    options.delete_session = !options.durable;
    options.session = options.durable ? SessionOfOutput(stream.output) : RandomSession();
  }
  if (stream.retry) options.connect_timeout = options.reconnect_timeout = absl::InfiniteDuration();
  return options;
}

EventStreamOptions EventOptions(const StreamFlags& stream, client::MarkNames& names) {
  return {.output = stream.events.Output(),
          .scale = stream.events.scale.Scale(),
          .spans = stream.events.spans(),
          .words = stream.text,
          .names = &names};
}

}  // namespace aaren::cli
