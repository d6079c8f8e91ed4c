#ifndef AAREN_SERVER_SESSIONS_QUEUE_ITEM_QUEUE_H_
#define AAREN_SERVER_SESSIONS_QUEUE_ITEM_QUEUE_H_

// An ItemQueue is a first-in first-out queue in one block of memory, and an empty queue keeps the block. Most flows
// hold an item or two at a time and are used again and again; a std::deque would allocate for every few items.
// Threading: a plain value.

#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace aaren::queue {

template <typename T>
class ItemQueue {
 public:
  bool empty() const { return front_ == items_.size(); }
  size_t size() const { return items_.size() - front_; }
  size_t capacity() const { return items_.capacity(); }  // items that fit into the block
  T& front() { return items_[front_]; }
  T& back() { return items_.back(); }
  const T& operator[](size_t i) const { return items_[front_ + i]; }
  T& emplace_back() { return items_.emplace_back(); }

  void pop_front() {
    std::destroy_at(&items_[front_]);  // the memory of the item may be large
    std::construct_at(&items_[front_++]);
    if (empty()) {
      items_.clear();
      front_ = 0;
    } else if (front_ >= kCompactAt && 2 * front_ >= items_.size()) {
      Compact();
    }
  }

  void Clear() {
    items_.clear();
    front_ = 0;
  }

  // Gives the block of a long queue back.
  void ShrinkIfLarge(size_t items) {
    if (items_.capacity() > items) std::vector<T>().swap(items_);
  }

 private:
  static constexpr size_t kCompactAt = 16;

  // A queue that was long once gives the memory back.
  void Compact() {
    const auto begin = items_.begin() + static_cast<ptrdiff_t>(front_);
    if (items_.capacity() > 4 * size()) {
      items_ = std::vector<T>(std::make_move_iterator(begin), std::make_move_iterator(items_.end()));
    } else {
      items_.erase(items_.begin(), begin);
    }
    front_ = 0;
  }

  std::vector<T> items_;
  size_t front_ = 0;  // items before are taken
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_ITEM_QUEUE_H_
