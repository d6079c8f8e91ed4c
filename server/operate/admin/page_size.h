#ifndef AAREN_SERVER_OPERATE_ADMIN_PAGE_SIZE_H_
#define AAREN_SERVER_OPERATE_ADMIN_PAGE_SIZE_H_

// The size of one page of a list: a shard fills a page in a fraction of a millisecond.

#include <cstdint>

namespace aaren::admin {

inline constexpr uint32_t kDefaultPage = 100;
inline constexpr uint32_t kMostPage = 200;

inline uint32_t PageSize(uint32_t asked) { return asked == 0 ? kDefaultPage : asked; }

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_PAGE_SIZE_H_
