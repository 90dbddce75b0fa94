// Stream handlers that record what they receive, and the event count on which
// tests wait.
#ifndef TRIBUTARY_CHANNEL_TESTING_RECORDING_STREAM_H_
#define TRIBUTARY_CHANNEL_TESTING_RECORDING_STREAM_H_

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/transport.h"
#include "common/runtime/mutex.h"

namespace tributary::conformance {

// Counts the handlers' events, so that a test can wait for a condition that
// they change. Thread-safe.
class Log {
 public:
  void Changed() {
    MutexLock lock(mutex_);
    ++events_;
    changed_.NotifyAll();
  }
  // Waits until `done` holds, which is evaluated after each event. Returns
  // false if it does not within `most`. For harnesses with threads.
  bool WaitUntil(const std::function<bool()>& done,
                 std::chrono::milliseconds most = std::chrono::seconds(20)) {
    const auto limit = std::chrono::steady_clock::now() + most;
    while (true) {
      const uint64_t seen = events();
      if (done()) return true;
      MutexLock lock(mutex_);
      while (events_ == seen) {
        if (!changed_.WaitUntil(mutex_, limit)) return false;
      }
    }
  }

 private:
  uint64_t events() {
    MutexLock lock(mutex_);
    return events_;
  }
  Mutex mutex_;
  CondVar changed_;
  uint64_t events_ ABSL_GUARDED_BY(mutex_) = 0;
};

struct Heard {
  MessageKind kind;
  uint64_t call_id;
  std::string header;
  std::string payload;
  friend bool operator==(const Heard&, const Heard&) = default;
};

// Records everything it receives and calls `react`, which may answer or close.
// Fails the test if the transport breaks StreamHandler's rules. Thread-safe.
class Recorder final : public StreamHandler {
 public:
  using React = std::function<void(Recorder&, const Heard&)>;
  explicit Recorder(Log* log, React react = nullptr)
      : log_(log), react_(std::move(react)) {}

  void OnMessage(IncomingMessage& message) override {
    Heard heard{message.kind(), message.call_id(),
                std::string(message.header()),
                std::string(message.payload_size(), '\0')};
    const absl::Status copied = message.CopyPayload(
        absl::MakeSpan(reinterpret_cast<uint8_t*>(heard.payload.data()),
                       heard.payload.size()));
    {
      MutexLock lock(mutex_);
      EXPECT_TRUE(copied.ok()) << copied;
      EXPECT_FALSE(inside_) << "two calls at once";
      EXPECT_FALSE(closed_.has_value()) << "a message after OnClosed";
      inside_ = true;
      heard_.push_back(heard);
      rooms_.push_back(message.room());
    }
    if (react_) react_(*this, heard);
    {
      MutexLock lock(mutex_);
      inside_ = false;
    }
    log_->Changed();
  }
  void OnClosed(const absl::Status& why) override {
    std::shared_ptr<Stream> stream;
    {
      MutexLock lock(mutex_);
      EXPECT_FALSE(inside_) << "OnClosed beside OnMessage";
      EXPECT_FALSE(closed_.has_value()) << "OnClosed twice";
      closed_ = why;
      stream = std::move(stream_);
    }
    stream.reset();
    log_->Changed();
  }

  void set_stream(std::shared_ptr<Stream> stream) {
    MutexLock lock(mutex_);
    if (!closed_.has_value()) stream_ = std::move(stream);
  }
  std::shared_ptr<Stream> stream() {
    MutexLock lock(mutex_);
    return stream_;
  }
  std::vector<Heard> heard() {
    MutexLock lock(mutex_);
    return heard_;
  }
  size_t num_heard() {
    MutexLock lock(mutex_);
    return heard_.size();
  }
  std::optional<absl::Status> closed() {
    MutexLock lock(mutex_);
    return closed_;
  }
  bool is_closed() { return closed().has_value(); }

 private:
  Log* const log_;
  const React react_;
  Mutex mutex_;
  bool inside_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  std::vector<Heard> heard_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<SharedRoom>> rooms_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> closed_ ABSL_GUARDED_BY(mutex_);
};

// Accepts every stream with a Recorder, or refuses it with `refusal` once that
// is set. Thread-safe.
class RecordingAcceptor final : public StreamAcceptor {
 public:
  explicit RecordingAcceptor(Log* log) : log_(log) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    std::shared_ptr<Recorder> recorder;
    {
      MutexLock lock(mutex_);
      EXPECT_FALSE(caller->address.empty());
      if (!refusal_.ok()) {
        *why = refusal_;
        return nullptr;
      }
      recorder = std::make_shared<Recorder>(log_, react_);
      recorder->set_stream(std::move(stream));
      accepted_.push_back(recorder);
      methods_.push_back(method);
      callers_.push_back(std::move(caller));
    }
    log_->Changed();
    return recorder;
  }
  void set_refusal(absl::Status refusal) {
    MutexLock lock(mutex_);
    refusal_ = std::move(refusal);
  }
  void set_react(Recorder::React react) {
    MutexLock lock(mutex_);
    react_ = std::move(react);
  }
  std::vector<std::shared_ptr<Recorder>> accepted() {
    MutexLock lock(mutex_);
    return accepted_;
  }
  std::vector<StreamMethod> methods() {
    MutexLock lock(mutex_);
    return methods_;
  }
  std::vector<CallerPtr> callers() {
    MutexLock lock(mutex_);
    return callers_;
  }

 private:
  Log* const log_;
  Mutex mutex_;
  absl::Status refusal_ ABSL_GUARDED_BY(mutex_);
  Recorder::React react_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Recorder>> accepted_ ABSL_GUARDED_BY(mutex_);
  std::vector<StreamMethod> methods_ ABSL_GUARDED_BY(mutex_);
  std::vector<CallerPtr> callers_ ABSL_GUARDED_BY(mutex_);
};

// Returns the message as it travels: prefix, header and payload.
inline std::string BytesOf(const OutgoingMessage& message) {
  const EnvelopePrefix prefix = EncodePrefix(message);
  std::string bytes(prefix.begin(), prefix.end());
  bytes += message.header;
  bytes.append(message.payload.begin(), message.payload.end());
  return bytes;
}

// Returns a message with a payload of `bytes` that depends on `seed`, and its
// owner.
inline OutgoingMessage MakeMessage(uint64_t call_id, std::string header,
                                   size_t bytes, uint32_t seed = 1) {
  auto owner = std::make_shared<std::string>(bytes, '\0');
  uint32_t state = seed * 2654435761u + 1;
  for (char& c : *owner) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  OutgoingMessage message;
  message.kind = MessageKind::kFrame;
  message.call_id = call_id;
  message.header = std::move(header);
  message.payload = absl::MakeConstSpan(
      reinterpret_cast<const uint8_t*>(owner->data()), owner->size());
  message.payload_owner = std::move(owner);
  return message;
}

// Returns the message as a Recorder at the other end records it.
inline Heard AsHeard(const OutgoingMessage& message) {
  return {message.kind, message.call_id, message.header,
          std::string(message.payload.begin(), message.payload.end())};
}

}  // namespace tributary::conformance

#endif  // TRIBUTARY_CHANNEL_TESTING_RECORDING_STREAM_H_
