#ifndef AAREN_MODEL_TRAINING_PROGRAM_WAIT_POLICY_H_
#define AAREN_MODEL_TRAINING_PROGRAM_WAIT_POLICY_H_

// How OpenMP's threads wait for each other: asleep. A step has thousands of parallel regions. As soon as anything else
// runs on the machine, a thread that spins at the end of each takes the core that the thread it waits for needs.

namespace aaren::training {

// Starts this program again, with OMP_WAIT_POLICY=PASSIVE: libgomp reads it once, as it is loaded, before main. Returns
// if it is set already, to whatever the user wants, or the user set GOMP_SPINCOUNT, or the program cannot be started.
// REQUIRES: nothing has been done yet that could not be done twice; argv is main's.
void WaitPassively(char** argv);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PROGRAM_WAIT_POLICY_H_
