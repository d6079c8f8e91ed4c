#ifndef AAREN_SERVER_STORE_REDIS_REDIS_PASSWORD_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_PASSWORD_H_

// The password of a Redis, and of its Sentinels, in a file. Threading: a plain function.

#include <string>

#include "absl/status/statusor.h"

namespace aaren::store {

// The first line of the file. NotFound, naming the setting and the file.
absl::StatusOr<std::string> ReadRedisPassword(const std::string& file);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_PASSWORD_H_
