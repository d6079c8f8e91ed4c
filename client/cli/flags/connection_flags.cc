#include "client/cli/flags/connection_flags.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "aaren/client/tls.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::cli {

void ConnectionFlags::AddTo(command_line::Flags& flags) {
  flags.Add("target", &target, "the server");
  flags.Add("tls", &tls, "speak TLS; the system's certificates tell which servers to trust");
  flags.Add("tls_ca", &tls_ca, "speak TLS; a PEM file with the certificates that the server's has to be signed by");
  flags.Add("tls_cert", &tls_cert, "speak TLS; a PEM file with this client's own certificate, for servers that ask");
  flags.Add("tls_key", &tls_key, "a PEM file with the key of --tls_cert");
  flags.Add("tls_server_name", &tls_server_name, "whose certificate the server has to show, if not --target's");
  flags.Add("token_file", &token_file, "a file whose first line is the token that tells the server who calls");
  flags.Add("metadata", &metadata, "NAME:VALUE, a header of every call, as proxies may want; may be repeated");
}

namespace {

// A token may be renewed: the file is read before every call. A device has no end.
absl::StatusOr<client::Metadata> ReadToken(const std::string& path) {
  constexpr size_t kMostBytes = 1 << 14;  // gRPC takes 8 KiB of metadata
  std::ifstream file(path);
  std::string line(kMostBytes, '\0');
  file.read(line.data(), kMostBytes);
  if (file.bad() || !file.is_open()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  line.resize(std::min(static_cast<size_t>(file.gcount()), line.find('\n')));
  if (line.size() == kMostBytes) return absl::InvalidArgumentError(absl::StrCat(path, " has no line that is a token"));
  const absl::string_view token = absl::StripAsciiWhitespace(line);
  if (token.empty()) return absl::InvalidArgumentError(absl::StrCat(path, " has no token in its first line"));
  return client::Metadata{{"authorization", absl::StrCat("Bearer ", token)}};
}

// Errors that gRPC would not report, or would read as another port. Names are gRPC's: dns:///HOST:PORT, unix:PATH and
// more.
absl::Status CheckTarget(absl::string_view target) {
  if (target.empty()) return absl::InvalidArgumentError("--target is empty; it names the server, as HOST:PORT");
  // Without brackets the last group could be a port: gRPC decides.
  const bool bare_ipv6 = std::count(target.begin(), target.end(), ':') > 1 && !absl::StrContains(target, ']');
  if (bare_ipv6 || absl::StartsWith(target, "unix")) return absl::OkStatus();
  if (target.find_first_not_of("0123456789.") == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("--target=", target, " has no port; it is HOST:PORT"));
  }
  const absl::string_view last = target.substr(target.find_last_of(":]") + 1);
  const bool is_number = !last.empty() && std::all_of(last.begin(), last.end(), absl::ascii_isdigit);
  uint32_t port = 0;
  if (!is_number || last.size() == target.size()) return absl::OkStatus();
  if (absl::SimpleAtoi(last, &port) && port > 0 && port <= 65535) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--target=", target, ": ", last, " is no port (1 to 65535)"));
}

}  // namespace

absl::Status ConnectionFlags::ReadTokens(client::ChannelOptions& channel) const {
  if (token_file.empty()) return absl::OkStatus();
  const absl::StatusOr<client::Metadata> token = ReadToken(token_file);
  if (!token.ok()) return token.status();
  // A file being written has no token for a moment: the call is tried again, as for a server that is
  // away.
  channel.metadata_source = [path = token_file]() -> absl::StatusOr<client::Metadata> {
    absl::StatusOr<client::Metadata> now = ReadToken(path);
    if (!now.ok()) return absl::UnavailableError(now.status().message());
    return now;
  };
  // A wrong file is refused now. Later an illegal token would end every call.
  return client::CheckChannel({.metadata = *token});
}

absl::Status ConnectionFlags::ReadMetadata(client::ChannelOptions& channel) const {
  for (const std::string& header : metadata) {
    const size_t colon = header.find(':');
    if (colon == std::string::npos || colon == 0) return absl::InvalidArgumentError("--metadata is not NAME:VALUE");
    // HTTP/2 knows names in lower case only.
    channel.metadata.emplace_back(absl::AsciiStrToLower(header.substr(0, colon)),
                                  absl::StripAsciiWhitespace(absl::string_view(header).substr(colon + 1)));
  }
  return client::CheckChannel(channel);
}

absl::StatusOr<client::ChannelOptions> ConnectionFlags::Channel() const {
  if (absl::Status status = CheckTarget(target); !status.ok()) return status;
  client::ChannelOptions channel{.server_name = tls_server_name};
  const absl::Status read = ReadMetadata(channel);
  if (!read.ok()) return read;
  if (absl::Status tokens = ReadTokens(channel); !tokens.ok()) return tokens;
  if (!tls && tls_ca.empty() && tls_cert.empty() && tls_key.empty()) {
    if (tls_server_name.empty()) return channel;
    return absl::InvalidArgumentError("--tls_server_name needs --tls or --tls_ca=FILE");
  }
  if (tls_cert.empty() != tls_key.empty()) {
    return absl::InvalidArgumentError(tls_key.empty() ? absl::StrCat("--tls_cert=", tls_cert, " needs --tls_key=FILE")
                                                      : absl::StrCat("--tls_key=", tls_key, " needs --tls_cert=FILE"));
  }
  absl::StatusOr<client::Credentials> credentials = client::ReadTls({.ca = tls_ca, .cert = tls_cert, .key = tls_key});
  if (!credentials.ok()) return credentials.status();
  channel.credentials = *std::move(credentials);
  return channel;
}

std::string ShownCommand(command_line::Arguments arguments) {
  std::vector<std::string> shown;
  bool secret = false;  // the next word
  for (const std::string& argument : arguments) {
    const bool hidden = absl::StartsWith(argument, "--metadata=");
    shown.push_back(hidden ? "--metadata=…" : secret ? "…" : argument);
    secret = argument == "--metadata";
  }
  return absl::StrJoin(shown, " ");
}

}  // namespace aaren::cli
