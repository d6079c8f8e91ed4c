#ifndef AAREN_MODEL_TRAINING_REPORT_CODE_VERSION_H_
#define AAREN_MODEL_TRAINING_REPORT_CODE_VERSION_H_

namespace aaren::training {

// The version of the code of this program: the project's version, and the commit if built in a git checkout. An example
// is "0.1.0+e2b850812ab4", or "0.1.0+e2b850812ab4-modified" with changes on top. The build writes this function.
const char* CodeVersion();

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_CODE_VERSION_H_
