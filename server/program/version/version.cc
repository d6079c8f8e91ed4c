#include "server/program/version/version.h"

namespace aaren::version {

const char* const kVersion = AAREN_VERSION;

}  // namespace aaren::version
