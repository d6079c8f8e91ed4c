#include "server/store/redis/redis_password.h"

#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace aaren::store {

absl::StatusOr<std::string> ReadRedisPassword(const std::string& file) {
  std::ifstream in(file);
  std::string password;
  if (!in || !std::getline(in, password)) {
    return absl::NotFoundError(absl::StrCat("redis_password_file: cannot read a line of ", file));
  }
  return std::string(absl::StripTrailingAsciiWhitespace(password));
}

}  // namespace aaren::store
