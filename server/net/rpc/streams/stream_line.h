#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_LINE_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_LINE_H_

// A StreamLine is a line of streams waiting for a turn, in order of arrival. A stream keeps a Place for each line, and
// stands in the line once at most. Threading: belongs to one shard.

#include <cstddef>
#include <deque>

namespace aaren::rpc {

class Stream;

class StreamLine {
 public:
  // One stream's place, in a line or in none. A destroyed place leaves the line.
  class Place {
   public:
    explicit Place(Stream& stream) : stream_(stream) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

    // Goes to the end of `line`, or stays in line. The line outlives the time in line.
    void Join(StreamLine& line);

    bool in_line() const { return line_ != nullptr; }

   private:
    friend class StreamLine;

    Stream& stream_;
    StreamLine* line_ = nullptr;
  };

  // Takes the first place out of the line. Null where a stream has gone meanwhile, and for an empty line.
  Stream* Next();

  bool empty() const { return places_.empty(); }
  size_t size() const { return places_.size(); }  // with the places of streams that have gone

 private:
  std::deque<Place*> places_;  // null where a stream has gone
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_LINE_H_
