#ifndef AAREN_SERVER_SESSIONS_TASK_LEVELS_H_
#define AAREN_SERVER_SESSIONS_TASK_LEVELS_H_

// The least and the greatest quantile that an Open may ask for. Beyond, the tails of nine quantiles say nothing.

namespace aaren::task {

inline constexpr float kLeastLevel = 0.005f, kMostLevel = 0.995f;

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_LEVELS_H_
