#ifndef AAREN_MODEL_TRAINING_REPORT_CODE_VERSION_H_
#define AAREN_MODEL_TRAINING_REPORT_CODE_VERSION_H_

namespace aaren::training {

// The code that this program was built from. It is the project's version and, where it was built in a git checkout, the
// commit, as in "0.1.0+e2b850812ab4" and, with changes on top, "0.1.0+e2b850812ab4-modified". Written by the build.
const char* CodeVersion();

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_CODE_VERSION_H_
