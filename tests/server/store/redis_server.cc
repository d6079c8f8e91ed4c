#include "tests/server/store/redis_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "hiredis/hiredis.h"

namespace aaren::store {
namespace {

constexpr char kHost[] = "127.0.0.1";

std::string NewFolder() {
  std::string folder = absl::StrCat(testing::TempDir(), "/redis_XXXXXX");
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder;
}

int FreePort() {
  const absl::StatusOr<std::vector<int>> sockets = address::ListenOn({kHost, 0}, 1);
  EXPECT_TRUE(sockets.ok()) << sockets.status();
  const int port = address::PortOf(sockets->front());
  for (const int socket : *sockets) close(socket);
  return port;
}

std::string TextOf(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return absl::StrCat(reply.integer);
  if (reply.type != REDIS_REPLY_ARRAY) return reply.str == nullptr ? "" : std::string(reply.str, reply.len);
  std::string text;
  for (size_t i = 0; i < reply.elements; ++i) absl::StrAppend(&text, TextOf(*reply.element[i]), "\n");
  return text;
}

}  // namespace

std::string RedisServer::Installed() {
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    const std::string program = absl::StrCat(folder, "/redis-server");
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

RedisServer::RedisServer(std::vector<std::string> arguments)
    : arguments_(std::move(arguments)), folder_(NewFolder()), port_(FreePort()) {
  Start();
}

RedisServer::~RedisServer() {
  Kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RedisServer::Start() {
  std::vector<std::string> line = {
      Installed(), "--port", absl::StrCat(port_), "--bind", kHost,       "--dir",         folder_,
      "--save",    "",       "--appendonly",      "yes",    "--logfile", folder_ + "/log"};
  const bool file = !arguments_.empty() && absl::StartsWith(arguments_[0], "/");
  if (file) line.insert(line.begin() + 1, arguments_[0]);
  line.insert(line.end(), arguments_.begin() + (file ? 1 : 0), arguments_.end());
  std::vector<char*> argv;
  for (std::string& argument : line) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    execv(argv[0], argv.data());
    _exit(127);
  }
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (!Answers()) {
    ASSERT_LT(absl::Now(), deadline) << "redis-server does not answer";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool RedisServer::Answers() const {
  const std::string answer = Command({"PING"});
  return !answer.empty() && !absl::StartsWith(answer, "LOADING");
}

RedisOptions RedisServer::options() const {
  RedisOptions options;
  options.addresses = {{kHost, port_}};
  options.timeout = absl::Milliseconds(300);
  return options;
}

std::string RedisServer::Command(const std::vector<std::string>& command) const {
  const std::unique_ptr<redisContext, decltype(&redisFree)> context(redisConnect(kHost, port_), &redisFree);
  if (context == nullptr || context->err != 0) return "";
  std::vector<const char*> begins;
  std::vector<size_t> sizes;
  for (const std::string& argument : command) {
    begins.push_back(argument.data());
    sizes.push_back(argument.size());
  }
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(
      static_cast<redisReply*>(
          redisCommandArgv(context.get(), static_cast<int>(begins.size()), begins.data(), sizes.data())),
      &freeReplyObject);
  return reply == nullptr ? "" : TextOf(*reply);
}

void RedisServer::Signal(int signal) const { kill(pid_, signal); }

void RedisServer::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void RedisServer::DeleteData() const {
  std::error_code ignored;
  std::filesystem::remove_all(folder_ + "/appendonlydir", ignored);
}

}  // namespace aaren::store
