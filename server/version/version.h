#ifndef AAREN_SERVER_VERSION_VERSION_H_
#define AAREN_SERVER_VERSION_VERSION_H_

// Which release this program is of. It has a file of its own so that a new release compiles one file anew. The
// CMakeLists.txt at the top says the number.

namespace aaren::version {

extern const char* const kVersion;  // "0.1.0", the project's

}  // namespace aaren::version

#endif  // AAREN_SERVER_VERSION_VERSION_H_
