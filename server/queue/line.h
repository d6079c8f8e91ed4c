#ifndef AAREN_SERVER_QUEUE_LINE_H_
#define AAREN_SERVER_QUEUE_LINE_H_

// A Line is a first-in first-out queue of things linked through themselves, by their members `previous` and `next`. It
// has no memory of its own, and who leaves from the middle costs no more than who leaves at the front. A thing stands
// in one line at most, and stays where it is in memory. Threading: a plain value.

namespace aaren::queue {

template <typename T>
class Line {
 public:
  bool empty() const { return front_ == nullptr; }
  T* front() const { return front_; }  // null: it is empty
  T* back() const { return back_; }    // likewise

  // REQUIRES: it is in no line.
  void PushBack(T& thing) {
    thing.previous = back_;
    thing.next = nullptr;
    (back_ != nullptr ? back_->next : front_) = &thing;
    back_ = &thing;
  }

  // REQUIRES: it is in this line.
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

#endif  // AAREN_SERVER_QUEUE_LINE_H_
