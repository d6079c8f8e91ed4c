#include "client/load/server_usage.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace aaren::client {
namespace {

// A server that does not answer with its metrics must not hold up the report.
constexpr int kSocketTimeoutSeconds = 5;
constexpr absl::Duration kPageTimeout = absl::Seconds(10);
constexpr size_t kMostPageBytes = 16 << 20;
constexpr absl::string_view kListening = "0A";  // a socket's state in /proc/net/tcp

std::pair<std::string, std::string> SplitHostPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {address, ""};
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {host, address.substr(colon + 1)};
}

// A connected socket, or -1.
int Connect(const std::string& address) {
  const auto [host, port] = SplitHostPort(address);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &list) != 0) return -1;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    const int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (fd < 0) continue;
    const timeval timeout = {.tv_sec = kSocketTimeoutSeconds, .tv_usec = 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) return fd;
    close(fd);
  }
  return -1;
}

std::string GetMetrics(const std::string& address) {
  const int fd = Connect(address);
  if (fd < 0) return "";
  // With HTTP/1.0 the page ends with the connection, and no length has to be parsed.
  const std::string request = absl::StrCat("GET /metrics HTTP/1.0\r\nHost: ", address, "\r\n\r\n");
  std::string page;
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char buffer[16384];
    const absl::Time end = absl::Now() + kPageTimeout;
    for (ssize_t n; page.size() < kMostPageBytes && absl::Now() < end;) {
      if ((n = recv(fd, buffer, sizeof(buffer), 0)) <= 0) break;
      page.append(buffer, static_cast<size_t>(n));
    }
  }
  close(fd);
  return page;
}

bool IsThisMachine(const std::string& host) {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return host == "localhost" || absl::StartsWith(host, "127.") || host == "::1" || host == "0.0.0.0" || host == name;
}

// Inodes of the sockets listening on `port`.
std::set<std::string> ListeningInodes(const std::string& port) {
  int number;
  std::set<std::string> inodes;
  if (!absl::SimpleAtoi(port, &number)) return inodes;
  // The kernel's tables have ports in hexadecimal.
  const std::string suffix = absl::StrCat(":", absl::Hex(number, absl::kZeroPad4));
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    for (std::string line; std::getline(file, line);) {
      const std::vector<std::string> fields = absl::StrSplit(line, ' ', absl::SkipEmpty());
      // Field 1 is the local address, field 3 the state, field 9 the inode.
      if (fields.size() > 9 && absl::EndsWithIgnoreCase(fields[1], suffix) && fields[3] == kListening) {
        inodes.insert(absl::StrCat("socket:[", fields[9], "]"));
      }
    }
  }
  return inodes;
}

bool Holds(const std::filesystem::path& process, const std::set<std::string>& inodes) {
  std::error_code error;
  // A process of another user does not show its descriptors, and is passed over.
  for (std::filesystem::directory_iterator fd(process / "fd", error), end; !error && fd != end; fd.increment(error)) {
    std::error_code unreadable;
    if (inodes.count(std::filesystem::read_symlink(fd->path(), unreadable).string()) > 0) return true;
  }
  return false;
}

// The process listening on `port`, as a folder of /proc; empty if none is visible.
std::filesystem::path FindListener(const std::string& port) {
  const std::set<std::string> inodes = ListeningInodes(port);
  if (inodes.empty()) return {};
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    int pid;
    if (absl::SimpleAtoi(it->path().filename().string(), &pid) && Holds(it->path(), inodes)) return it->path();
  }
  return {};
}

std::optional<ServerUsage> ReadProcess(const std::filesystem::path& process) {
  std::stringstream text;
  text << std::ifstream(process / "stat").rdbuf();
  // Fields are counted from the end of the name, which may hold blanks and brackets.
  const std::string stat = text.str();
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields = absl::StrSplit(stat.substr(name_end + 1), ' ', absl::SkipEmpty());
  double user;
  double system;
  uint64_t pages;
  if (fields.size() < 22 || !absl::SimpleAtod(fields[11], &user) || !absl::SimpleAtod(fields[12], &system) ||
      !absl::SimpleAtoi(fields[21], &pages)) {
    return std::nullopt;
  }
  return ServerUsage{.cpu_seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK)),
                     .rss_bytes = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))};
}

// The value of an unlabelled metric on its own line.
std::optional<double> Metric(absl::string_view page, absl::string_view name) {
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    double value;
    if (absl::ConsumePrefix(&line, name) && absl::StartsWith(line, " ") &&
        absl::SimpleAtod(absl::StripAsciiWhitespace(line), &value)) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ServerUsage> ParseMetrics(absl::string_view page) {
  const auto cpu = Metric(page, "process_cpu_seconds_total");
  const auto rss = Metric(page, "process_resident_memory_bytes");
  // Numbers of a stranger's page have to fit 64 bits.
  constexpr double kMost = 1e18;
  if (!cpu || !rss || !(*cpu >= 0 && *cpu < kMost) || !(*rss >= 0 && *rss < kMost)) return std::nullopt;
  return ServerUsage{.cpu_seconds = *cpu, .rss_bytes = static_cast<uint64_t>(*rss)};
}

std::optional<ServerUsage> ReadServerUsage(const std::string& target, const std::string& metrics) {
  if (!metrics.empty()) return ParseMetrics(GetMetrics(metrics));
  const auto [host, port] = SplitHostPort(target);
  if (!IsThisMachine(host)) return std::nullopt;
  const std::filesystem::path process = FindListener(port);
  if (process.empty()) return std::nullopt;
  return ReadProcess(process);
}

}  // namespace aaren::client
