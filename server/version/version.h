#ifndef AAREN_SERVER_VERSION_VERSION_H_
#define AAREN_SERVER_VERSION_VERSION_H_

namespace aaren::version {

extern const char* const kVersion;  // "0.1.0", the project's

}  // namespace aaren::version

#endif  // AAREN_SERVER_VERSION_VERSION_H_
