#ifndef AAREN_SERVER_VERSION_VERSION_H_
#define AAREN_SERVER_VERSION_VERSION_H_

namespace aaren {

extern const char* const kVersion;  // "0.1.0", the project's

}  // namespace aaren

#endif  // AAREN_SERVER_VERSION_VERSION_H_
