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

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnection::Begin(const address::Address& address,
                                                                        const RedisTlsFiles& tls) {
  redisContext* context = redisConnectNonBlock(address.host.c_str(), address.port);
  if (context == nullptr) return absl::UnavailableError("no memory for a connection");
  std::unique_ptr<RedisConnection> connection(new RedisConnection(context));
  if (context->err != 0) return connection->Failed();
  // hiredis 0.14 makes its sockets without CLOEXEC.
  fcntl(context->fd, F_SETFD, FD_CLOEXEC);
  redisEnableKeepAlive(context);
  if (!tls.enabled()) return connection;
  absl::StatusOr<std::unique_ptr<RedisTls>> secured = RedisTls::Begin(tls, address.host, context->fd);
  if (!secured.ok()) return secured.status();
  connection->tls_ = *std::move(secured);
  return connection;
}

absl::Status RedisConnection::Failed() const {
  return absl::UnavailableError(context_->errstr[0] != '\0' ? context_->errstr : "the connection has ended");
}

// A Redis that speaks TLS ends a connection in plain text without a word.
absl::Status RedisConnection::Ended(absl::string_view how) const {
  return absl::UnavailableError(absl::StrCat(how, heard_ ? "" : "; it may want TLS, for which redis_ca is given"));
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
  const int count = static_cast<int>(command.size());
  // hiredis collects commands in a buffer that only its own plain-text write takes from. TLS needs the bytes of each
  // command.
  if (tls_ == nullptr) {
    redisAppendCommandArgv(context_.get(), count, begins.data(), sizes.data());
    return;
  }
  char* text = nullptr;
  const auto size = redisFormatCommandArgv(&text, count, begins.data(), sizes.data());
  if (size > 0) for_tls_.append(text, static_cast<size_t>(size));
  redisFreeCommand(text);
}

absl::Status RedisConnection::Write() {
  if (tls_ != nullptr) return WriteByTls();
  int done = 0;
  if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return Failed();
  if (done != 0) unwritten_bytes_ = 0;
  return absl::OkStatus();
}

// Writes as many bytes as the socket takes.
absl::Status RedisConnection::WriteByTls() {
  absl::string_view left = for_tls_;
  absl::StatusOr<size_t> now = size_t{0};
  while (!left.empty() && (now = tls_->Write(left)).ok() && *now > 0) left.remove_prefix(*now);
  for_tls_.erase(0, for_tls_.size() - left.size());
  if (for_tls_.empty()) unwritten_bytes_ = 0;
  return now.status();
}

// Reads all bytes: bytes that OpenSSL has decrypted no longer show at the socket. The end of the connection behind the
// bytes shows in the next call.
absl::Status RedisConnection::ReadByTls() {
  char bytes[kReadBytes];
  for (bool any = false;; any = true) {
    const absl::StatusOr<size_t> now = tls_->Read(absl::MakeSpan(bytes));
    if (!now.ok() || *now == 0) return any ? absl::OkStatus() : now.status();
    redisReaderFeed(context_->reader, bytes, *now);
  }
}

absl::Status RedisConnection::Read() {
  if (tls_ != nullptr) return ReadByTls();
  char bytes[kReadBytes];
  const ssize_t count = recv(context_->fd, bytes, sizeof(bytes), 0);
  if (count == 0) return Ended("Redis has closed the connection");
  if (count < 0 && errno == ECONNRESET) return Ended(std::strerror(errno));
  if (count < 0 && errno != EAGAIN && errno != EINTR) return absl::UnavailableError(std::strerror(errno));
  if (count < 0) return absl::OkStatus();
  heard_ = true;
  redisReaderFeed(context_->reader, bytes, static_cast<size_t>(count));
  return absl::OkStatus();
}

absl::StatusOr<RedisReply> RedisConnection::Next() {
  void* reply = nullptr;
  if (redisReaderGetReply(context_->reader, &reply) == REDIS_OK) return RedisReply(static_cast<redisReply*>(reply));
  return absl::UnavailableError(absl::StrCat("this is no Redis: ", context_->reader->errstr));
}

}  // namespace aaren::store
