#include "tests/bench/server/driver.h"

#include <deque>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace aaren::bench {
namespace {

constexpr int kMaxItemsPerMessage = 256;

}  // namespace

struct Driver::Tag {
  Stream* stream;
  void (Stream::*done)(bool ok);
};

class Driver::Stream {
 public:
  Stream(Driver& driver, int index, int sessions)
      : driver_(driver), index_(index), next_seq_(sessions, 0), opened_seq_(sessions, 0), answered_(sessions, 0) {
    io_ = driver_.stubs_.back()->PrepareAsyncStream(&context_, &driver_.queue_);
    io_->StartCall(&started_);
  }

  // Puts a whole window of every session in line.
  void Fill() {
    ready_.clear();
    for (int i = 0; i < driver_.options_.window; ++i) {
      for (uint32_t handle = 0; handle < next_seq_.size(); ++handle) ready_.push_back(handle);
    }
    WriteNext();
  }

  void Cancel() { context_.TryCancel(); }

 private:
  void OnStarted(bool ok) {
    if (!ok) return Fail("the stream did not start");
    io_->Read(&reply_, &read_);
    message_.add_items()->mutable_hello()->set_protocol_version(1);
    for (uint32_t handle = 0; handle < next_seq_.size(); ++handle) {
      v1::Open& open = *message_.add_items()->mutable_open();
      open.set_handle(handle);
      open.set_session_id(absl::StrCat(driver_.options_.name, "-", driver_.options_.streams, "-", index_, "-", handle));
      open.set_mode(v1::Open::CREATE_OR_RESUME);
    }
    writing_ = true;
    io_->Write(message_, &written_);
  }

  void OnRead(bool ok) {
    if (!ok) {
      context_.TryCancel();  // a server that leaves need not wait for the call
      return Fail("the stream ended");
    }
    for (const v1::ServerItem& item : reply_.items()) Take(item);
    io_->Read(&reply_, &read_);
    WriteNext();
  }

  void OnWritten(bool ok) {
    writing_ = false;
    if (!ok) return Fail("a write failed");
    WriteNext();
  }

  void Take(const v1::ServerItem& item) {
    if (item.has_forecasts()) {
      TakeForecasts(item.forecasts().handle(), item.forecasts().next_seq());
    } else if (item.has_opened()) {
      --driver_.opening_;
      next_seq_[item.opened().handle()] = opened_seq_[item.opened().handle()] = item.opened().next_seq();
    } else if (item.has_failed()) {
      Fail(item.failed().status().message());
    }
  }

  // An item may be answered in parts.
  void TakeForecasts(uint32_t handle, uint64_t next_seq) {
    const uint64_t before = answered_[handle];
    const uint64_t after = next_seq - opened_seq_[handle];
    answered_[handle] = after;
    driver_.points_ += after - before;
    const uint64_t item = driver_.options_.points_per_message;
    for (uint64_t done = before / item; done < after / item; ++done) {
      --driver_.in_flight_;
      if (driver_.sending_) ready_.push_back(handle);
    }
  }

  void WriteNext() {
    if (writing_ || ready_.empty()) return;
    message_.Clear();
    do {
      AddTokens(ready_.front());
      ready_.pop_front();
    } while (driver_.options_.merge && !ready_.empty() && message_.items_size() < kMaxItemsPerMessage);
    writing_ = true;
    grpc::WriteOptions options;
    if (!ready_.empty()) options.set_buffer_hint();
    io_->Write(message_, options, &written_);
  }

  void AddTokens(uint32_t handle) {
    v1::Tokens& tokens = *message_.add_items()->mutable_tokens();
    const int n = driver_.options_.points_per_message;
    tokens.set_handle(handle);
    tokens.set_first_seq(next_seq_[handle]);
    for (int i = 0; i < n; ++i) {
      tokens.add_values(1.5f);
      tokens.add_times_ns(static_cast<int64_t>(next_seq_[handle] + i));
    }
    next_seq_[handle] += n;
    ++driver_.in_flight_;
  }

  void Fail(const std::string& what) {
    if (driver_.status_.ok()) driver_.status_ = absl::InternalError(absl::StrCat("stream ", index_, ": ", what));
  }

  Driver& driver_;
  const int index_;
  std::vector<uint64_t> next_seq_;    // by handle
  std::vector<uint64_t> opened_seq_;  // by handle: the beginning of this run, …
  std::vector<uint64_t> answered_;    // … and the number of answered points
  std::deque<uint32_t> ready_;        // handles with room for a next message
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::ClientMessage, v1::ServerMessage>> io_;
  v1::ClientMessage message_;
  v1::ServerMessage reply_;
  bool writing_ = false;
  Tag started_{this, &Stream::OnStarted}, read_{this, &Stream::OnRead}, written_{this, &Stream::OnWritten};
};

Driver::Driver(const DriverOptions& options) : options_(options) {}

absl::StatusOr<std::unique_ptr<Driver>> Driver::Connect(const std::string& target, const DriverOptions& options) {
  auto driver = std::unique_ptr<Driver>(new Driver(options));
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection for each channel
  driver->opening_ = options.sessions;
  for (int i = 0; i < options.streams; ++i) {
    if (i % options.streams_per_connection == 0) {
      driver->stubs_.push_back(
          v1::Streaming::NewStub(grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments)));
    }
    const int sessions = options.sessions / options.streams + (i < options.sessions % options.streams ? 1 : 0);
    driver->streams_.push_back(std::make_unique<Stream>(*driver, i, sessions));
  }
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (driver->opening_ > 0 && driver->status_.ok()) {
    if (!driver->Next(deadline))
      return absl::DeadlineExceededError(absl::StrCat(driver->opening_, " sessions did not open"));
  }
  if (!driver->status_.ok()) return driver->status_;
  return driver;
}

Driver::~Driver() {
  for (auto& stream : streams_) stream->Cancel();
  queue_.Shutdown();
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) {
  }
}

absl::StatusOr<double> Driver::Run(absl::Duration duration) {
  const uint64_t before = points_;
  const absl::Time start = absl::Now();
  const absl::Time end = start + duration;
  sending_ = true;
  for (auto& stream : streams_) stream->Fill();
  while (status_.ok() && Next(end)) {
  }
  const double rate = static_cast<double>(points_ - before) / absl::ToDoubleSeconds(absl::Now() - start);
  sending_ = false;
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (status_.ok() && in_flight_ > 0 && Next(deadline)) {
  }
  if (!status_.ok()) return status_;
  if (in_flight_ > 0) return absl::DeadlineExceededError(absl::StrCat(in_flight_, " messages were not answered"));
  return rate;
}

void Driver::StayUntil(const absl::Notification& over) {
  while (!over.HasBeenNotified()) Next(absl::Now() + absl::Milliseconds(10));
}

// Handles one event. False once the deadline has passed.
bool Driver::Next(absl::Time deadline) {
  void* tag;
  bool ok;
  if (queue_.AsyncNext(&tag, &ok, absl::ToChronoTime(deadline)) != grpc::CompletionQueue::GOT_EVENT) return false;
  auto& event = *static_cast<Tag*>(tag);
  (event.stream->*event.done)(ok);
  return absl::Now() < deadline;
}

}  // namespace aaren::bench
