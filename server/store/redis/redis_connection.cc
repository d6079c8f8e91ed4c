#include "server/store/redis/redis_connection.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"

namespace aaren::store {
namespace {

constexpr size_t kReadBytes = 64 << 10;  // hiredis moves the unread rest at every reply
constexpr size_t kCommandBytes = 64;     // a command's bytes beside its arguments, about

}  // namespace

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnection::Begin(const address::Address& address) {
  redisContext* context = redisConnectNonBlock(address.host.c_str(), address.port);
  if (context == nullptr) return absl::UnavailableError("no memory for a connection");
  std::unique_ptr<RedisConnection> connection(new RedisConnection(context));
  if (context->err != 0) return connection->Failed();
  fcntl(context->fd, F_SETFD, FD_CLOEXEC);
  redisEnableKeepAlive(context);
  return connection;
}

absl::Status RedisConnection::Failed() const {
  return absl::UnavailableError(context_->errstr[0] != '\0' ? context_->errstr : "the connection has ended");
}

void RedisConnection::Send(absl::Span<const absl::string_view> command) {
  std::vector<const char*> begins;
  std::vector<size_t> sizes;
  begins.reserve(command.size());
  sizes.reserve(command.size());
  for (const absl::string_view argument : command) {
    begins.push_back(argument.data());
    sizes.push_back(argument.size());
    unwritten_bytes_ += argument.size();
  }
  unwritten_bytes_ += kCommandBytes;
  redisAppendCommandArgv(context_.get(), static_cast<int>(command.size()), begins.data(), sizes.data());
}

absl::Status RedisConnection::Write() {
  int done = 0;
  if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return Failed();
  if (done != 0) unwritten_bytes_ = 0;
  return absl::OkStatus();
}

absl::Status RedisConnection::Read() {
  char bytes[kReadBytes];
  const ssize_t count = recv(context_->fd, bytes, sizeof(bytes), 0);
  if (count == 0) return absl::UnavailableError("Redis has closed the connection");
  if (count > 0) redisReaderFeed(context_->reader, bytes, static_cast<size_t>(count));
  if (count > 0 || errno == EAGAIN || errno == EINTR) return absl::OkStatus();
  return absl::UnavailableError(std::strerror(errno));
}

absl::StatusOr<RedisReply> RedisConnection::Next() {
  void* reply = nullptr;
  if (redisReaderGetReply(context_->reader, &reply) == REDIS_OK) return RedisReply(static_cast<redisReply*>(reply));
  return absl::UnavailableError(absl::StrCat("this is no Redis: ", context_->reader->errstr));
}

}  // namespace aaren::store
