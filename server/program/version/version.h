#ifndef AAREN_SERVER_PROGRAM_VERSION_VERSION_H_
#define AAREN_SERVER_PROGRAM_VERSION_VERSION_H_

// The release of the program. A new release compiles only the source file of version.h anew. The number is in the top
// CMakeLists.txt.

namespace aaren::version {

extern const char* const kVersion;  // "0.1.0", the project's

}  // namespace aaren::version

#endif  // AAREN_SERVER_PROGRAM_VERSION_VERSION_H_
