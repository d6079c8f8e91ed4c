#ifndef AAREN_MODEL_TRAINING_PROGRAM_WAIT_POLICY_H_
#define AAREN_MODEL_TRAINING_PROGRAM_WAIT_POLICY_H_

// Makes OpenMP's threads sleep while waiting for each other. A step has thousands of parallel regions. If another
// program runs on the machine, a thread that spins at the end of a region takes the core from the thread awaited.

namespace aaren::training {

// Restarts this program with OMP_WAIT_POLICY=PASSIVE, because libgomp reads the variable once, when loaded, before
// main. Returns without a restart if the user has set OMP_WAIT_POLICY or GOMP_SPINCOUNT, or if the program cannot be
// started. REQUIRES: the program has done nothing that it may not do twice; argv is main's.
void WaitPassively(char** argv);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_WAIT_POLICY_H_
