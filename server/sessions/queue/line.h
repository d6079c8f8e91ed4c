#ifndef AAREN_SERVER_SESSIONS_QUEUE_LINE_H_
#define AAREN_SERVER_SESSIONS_QUEUE_LINE_H_

// A Line is a first-in first-out queue of things linked through their members `previous` and `next`. A line has no
// memory of its own, and a thing leaves from the middle at the cost of leaving from the front. A thing stands in one
// line at most, and keeps its place in memory. Threading: a plain value.

namespace aaren::queue {

template <typename T>
class Line {
 public:
  bool empty() const { return front_ == nullptr; }
  T* front() const { return front_; }  // null: the line is empty
  T* back() const { return back_; }    // null: the line is empty

  // REQUIRES: the thing is in no line.
  void PushBack(T& thing) {
    thing.previous = back_;
    thing.next = nullptr;
    (back_ != nullptr ? back_->next : front_) = &thing;
    back_ = &thing;
  }

  // REQUIRES: the thing is in this line.
  void Remove(T& thing) {
    (thing.previous != nullptr ? thing.previous->next : front_) = thing.next;
    (thing.next != nullptr ? thing.next->previous : back_) = thing.previous;
    thing.previous = thing.next = nullptr;
  }

 private:
  T* front_ = nullptr;
  T* back_ = nullptr;
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_LINE_H_
