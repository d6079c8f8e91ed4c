#include "server/store/redis/redis_tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren::store {
namespace {

// Takes the reason of OpenSSL's last error; OpenSSL then forgets the error.
std::string LastError() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(error);
  return reason == nullptr ? "" : reason;
}

absl::Status BadFile(const char* setting, const std::string& file, const char* why = "") {
  const std::string reason = LastError();
  return absl::NotFoundError(absl::StrCat(setting, ": cannot use ", file, " (", *why == 0 ? reason : why, ")"));
}

// Without a callback OpenSSL asks for a passphrase at the terminal.
int NotePassphrase(char*, int, int, void* has_passphrase) {
  *static_cast<bool*>(has_passphrase) = true;
  return -1;
}

absl::Status ReadFiles(const RedisTlsFiles& files, SSL_CTX* context) {
  bool has_passphrase = false;
  SSL_CTX_set_default_passwd_cb(context, &NotePassphrase);
  SSL_CTX_set_default_passwd_cb_userdata(context, &has_passphrase);
  if (SSL_CTX_load_verify_file(context, files.ca.c_str()) != 1) return BadFile("redis_ca", files.ca);
  if (files.cert.empty()) return absl::OkStatus();
  if (SSL_CTX_use_certificate_chain_file(context, files.cert.c_str()) != 1) return BadFile("redis_cert", files.cert);
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return BadFile("redis_key", files.key, has_passphrase ? "it has a passphrase" : "");
  }
  return absl::OkStatus();
}

bool IsAddress(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 || inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Accepts only a certificate for the host.
bool Expect(const std::string& host, SSL* ssl) {
  // A certificate lists addresses apart from names, and TLS sends no address as a server's name (RFC 6066).
  if (IsAddress(host)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisTls>> RedisTls::Begin(const RedisTlsFiles& files, const std::string& host,
                                                          int socket) {
  Context context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return absl::UnavailableError("no memory for TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  // The bytes to write grow and move between two calls: OpenSSL must accept another buffer, and may take a part.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (absl::Status read = ReadFiles(files, context.get()); !read.ok()) return read;
  SSL* ssl = SSL_new(context.get());
  if (ssl == nullptr) return absl::UnavailableError("no memory for TLS");
  std::unique_ptr<RedisTls> tls(new RedisTls(std::move(context), ssl));
  if (!Expect(host, ssl) || SSL_set_fd(ssl, socket) != 1) {
    return absl::UnavailableError(absl::StrCat("TLS: ", LastError()));
  }
  SSL_set_connect_state(ssl);
  return tls;
}

absl::StatusOr<size_t> RedisTls::Write(absl::string_view bytes) {
  // SSL_get_error reads the thread's queue of errors, too: an old error would be taken for an error of this call.
  ERR_clear_error();
  errno = 0;
  const int result = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX)));
  awaits_read_ = result <= 0 && SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
  return Moved(result);
}

absl::StatusOr<size_t> RedisTls::Read(absl::Span<char> into) {
  ERR_clear_error();
  errno = 0;
  awaits_read_ = false;
  return Moved(SSL_read(ssl_.get(), into.data(), static_cast<int>(std::min<size_t>(into.size(), INT_MAX))));
}

absl::StatusOr<size_t> RedisTls::Moved(int result) {
  if (result > 0) return static_cast<size_t>(result);
  const int error = SSL_get_error(ssl_.get(), result), system = errno;
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return 0;
  const long verified = SSL_get_verify_result(ssl_.get());
  std::string why = LastError();
  if (verified != X509_V_OK) {
    why = absl::StrCat("its certificate is refused: ", X509_verify_cert_error_string(verified));
    // OpenSSL 3 reports an end without close_notify as an error with this text.
  } else if (error == SSL_ERROR_ZERO_RETURN || absl::StrContains(why, "unexpected eof")) {
    return absl::UnavailableError("Redis has closed the connection");
    // OpenSSL takes an answer in plain text for a record of a wrong version.
  } else if (absl::StrContains(why, "wrong version number")) {
    why = "it speaks none at this port";
  } else if (why.empty()) {
    return absl::UnavailableError(system != 0 ? std::strerror(system) : "Redis has closed the connection");
  }
  return absl::UnavailableError(absl::StrCat("TLS: ", why));
}

}  // namespace aaren::store
