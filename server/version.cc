#include "server/version.h"

namespace aaren {

const char* const kVersion = AAREN_VERSION;

}  // namespace aaren
