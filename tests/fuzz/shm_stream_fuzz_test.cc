// Fuzzes a worker with the records of a trainer on its socket: rooms lie within
// the shared memory that was sent, and the stream ends when the trainer's end
// does.
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "channel/net/fd_message.h"
#include "channel/shm/record.h"
#include "channel/shm/shm_server.h"
#include "channel/shm/shm_transport.h"
#include "common/observe/log.h"
#include "common/runtime/mutex.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr size_t kMemory = size_t{1} << 16;
constexpr auto kMost = std::chrono::seconds(10);

// Writes into each room's ends, and holds every second one for a while.
class Worker final : public StreamHandler {
 public:
  void OnMessage(IncomingMessage& message) override {
    std::vector<uint8_t> payload(message.payload_size());
    message.CopyPayload(absl::MakeSpan(payload)).IgnoreError();
    const std::shared_ptr<SharedRoom> room = message.room();
    if (room == nullptr) return;
    const absl::Span<uint8_t> bytes = room->bytes();
    Must(bytes.size() <= kMemory, "a room is no larger than its memory");
    if (!bytes.empty()) bytes.front() = bytes.back() = 1;
    if (held_.size() < 8 && ++rooms_ % 2 == 0) held_.push_back(room);
  }
  void OnClosed(const absl::Status&) override {
    held_.clear();
    MutexLock lock(mutex_);
    closed_ = true;
    changed_.NotifyAll();
  }
  void AwaitClose() {
    const auto deadline = std::chrono::steady_clock::now() + kMost;
    MutexLock lock(mutex_);
    while (!closed_) {
      Must(changed_.WaitUntil(mutex_, deadline), "the stream ends in time");
    }
  }

 private:
  std::vector<std::shared_ptr<SharedRoom>> held_;
  int rooms_ = 0;
  Mutex mutex_;
  CondVar changed_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

class Acceptor final : public StreamAcceptor {
 public:
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    MutexLock lock(mutex_);
    stream_ = std::move(stream);
    worker_ = std::make_shared<Worker>();
    changed_.NotifyAll();
    return worker_;
  }
  // Of the stream that has come.
  std::shared_ptr<Worker> Take() {
    const auto deadline = std::chrono::steady_clock::now() + kMost;
    MutexLock lock(mutex_);
    while (worker_ == nullptr) {
      Must(changed_.WaitUntil(mutex_, deadline), "a stream is accepted");
    }
    return std::exchange(worker_, nullptr);
  }
  void DropStream() {
    std::shared_ptr<Stream> stream;
    MutexLock lock(mutex_);
    stream = std::move(stream_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<Stream> stream_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Worker> worker_ ABSL_GUARDED_BY(mutex_);
};

void Send(int socket, const std::string& bytes, int fd) {
  iovec piece = {const_cast<char*>(bytes.data()), bytes.size()};
  // Where it fails the worker has closed its end.
  (void)SendWithFd(socket, {&piece, 1}, fd);
}

// One worker for all inputs.
struct World {
  World() {
    SetLogLevel(LogLevel::kOff);
    WorkerDoor made = MakeWorkerDoor().value();
    door = std::move(made.trainer);
    server = ShmServer::Start(&acceptor, std::move(made.worker), {}).value();
  }

  Acceptor acceptor;
  UniqueFd door;
  std::shared_ptr<SharedMemory> memory = SharedMemory::Create(kMemory).value();
  std::unique_ptr<ShmServer> server;
};

class Script {
 public:
  explicit Script(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_.front();
    bytes_.remove_prefix(1);
    return byte;
  }
  std::string Text(size_t n) {
    n = std::min(n, bytes_.size());
    std::string text(reinterpret_cast<const char*>(bytes_.data()), n);
    bytes_.remove_prefix(n);
    return text;
  }
  // Small, or near the ends of what there is.
  uint64_t Number() {
    const uint8_t how = Byte();
    const uint64_t value = uint64_t{Byte()} * 64;
    if (how < 128) return value;
    return how < 192 ? kMemory - value : UINT64_MAX - value;
  }

 private:
  absl::Span<const uint8_t> bytes_;
};

// A record whose message is one, so that what it says of the room is read.
std::string MessageWithRoom(Script& script) {
  OutgoingMessage message;
  message.kind = MessageKind::kCredit;
  message.header = script.Text(script.Byte() % 8);
  const EnvelopePrefix prefix = EncodePrefix(message);
  Record record{.kind = RecordKind::kMessage,
                .length = static_cast<uint32_t>(EnvelopeBytes(message))};
  record.room = script.Byte();
  record.offset = script.Number();
  record.bytes = script.Number();
  record.memory = script.Byte() % (kMaxMemories + 2);
  record.has_fd = script.Byte() % 2;
  std::string bytes(reinterpret_cast<const char*>(&record), sizeof(record));
  bytes.append(prefix.begin(), prefix.end());
  return bytes + message.header;
}

void Run(World& world, absl::Span<const uint8_t> input) {
  int ends[2];
  Must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
       "sockets");
  UniqueFd own(ends[0]);
  const timeval most{.tv_sec = 10, .tv_usec = 0};
  setsockopt(own.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  setsockopt(own.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
  {
    const UniqueFd other(ends[1]);
    const Hello hello;
    Send(world.door.get(),
         std::string(reinterpret_cast<const char*>(&hello), sizeof(hello)),
         other.get());
  }
  const std::shared_ptr<Worker> worker = world.acceptor.Take();
  Script script(input);
  while (!script.done()) {
    const uint8_t op = script.Byte();
    const std::string bytes =
        op % 4 < 2 ? script.Text(script.Byte()) : MessageWithRoom(script);
    Send(own.get(), bytes, op % 2 == 1 ? world.memory->fd() : -1);
  }
  shutdown(own.get(), SHUT_WR);
  worker->AwaitClose();
  world.acceptor.DropStream();
  char piece[4096];
  ssize_t n = 1;
  while (n > 0) n = recv(own.get(), piece, sizeof(piece), 0);
  Must(n == 0 || errno == ECONNRESET, "the worker's end of the socket ends");
}

}  // namespace
}  // namespace tributary

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tributary::World world;
  tributary::Run(world, absl::MakeConstSpan(data, size));
  return 0;
}
