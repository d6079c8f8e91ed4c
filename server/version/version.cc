#include "server/version/version.h"

namespace aaren {

const char* const kVersion = AAREN_VERSION;

}  // namespace aaren
