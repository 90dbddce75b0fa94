#include "channel/shm/shm_transport.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/net/fd_message.h"
#include "channel/net/socket_pair.h"
#include "channel/shm/record.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Sends the worker's end of a new stream. Never waits: a worker whose door is
// full is treated as one that has ended.
bool SendHello(int door, StreamMethod method, int end) {
  Hello hello;
  hello.method = static_cast<uint16_t>(method);
  iovec piece = {&hello, sizeof(hello)};
  return SendWithFd(door, {&piece, 1}, end) ==
         static_cast<ssize_t>(sizeof(hello));
}

}  // namespace

absl::StatusOr<WorkerDoor> MakeWorkerDoor() {
  ASSIGN_OR_RETURN(SocketPair ends, MakeSocketPair(SOCK_SEQPACKET));
  return WorkerDoor{std::move(ends.first), std::move(ends.second)};
}

absl::StatusOr<std::unique_ptr<ShmTransport>> ShmTransport::Create(
    const ShmStreamOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<SocketLoop> loop,
                   SocketLoop::Start("shm-trainer"));
  return std::unique_ptr<ShmTransport>(
      new ShmTransport(std::move(loop), options));
}

ShmTransport::~ShmTransport() {
  std::vector<std::weak_ptr<ShmStream>> streams;
  {
    MutexLock lock(mutex_);
    streams.swap(streams_);
  }
  loop_->Post([streams = std::move(streams)] {
    for (const auto& weak : streams) {
      if (const auto stream = weak.lock()) {
        stream->Break(absl::UnavailableError("the transport was destroyed"));
      }
    }
  });
  loop_.reset();
}

void ShmTransport::AddWorker(const Address& address, UniqueFd door) {
  MutexLock lock(mutex_);
  doors_[address] = std::move(door);
}

void ShmTransport::RemoveWorker(const Address& address) {
  MutexLock lock(mutex_);
  doors_.erase(address);
}

// Sends the worker one end of a new stream through its door and returns the
// other one.
absl::StatusOr<UniqueFd> ShmTransport::OpenSocket(const Address& address,
                                                  StreamMethod method) {
  MutexLock lock(mutex_);
  const auto door = doors_.find(address);
  if (door == doors_.end()) {
    return absl::UnavailableError(
        absl::StrCat(address.ToString(), ": no such worker"));
  }
  ASSIGN_OR_RETURN(SocketPair ends, MakeSocketPair(SOCK_STREAM));
  if (!SendHello(door->second.get(), method, ends.second.get())) {
    return absl::UnavailableError(absl::StrCat(
        address.ToString(), ": the worker takes no stream: ",
        errno == EPIPE || errno == ECONNRESET ? "it has ended"
                                              : std::strerror(errno)));
  }
  return std::move(ends.first);
}

std::shared_ptr<Stream> ShmTransport::Connect(
    const Address& address, StreamMethod method,
    std::shared_ptr<StreamHandler> handler) {
  absl::StatusOr<UniqueFd> socket = OpenSocket(address, method);
  const absl::Status why = socket.status();
  auto stream = std::make_shared<ShmStream>(
      ShmStream::Side::kTrainer, why.ok() ? *std::move(socket) : UniqueFd(),
      address.ToString(), loop_.get(), memories_, options_);
  {
    MutexLock lock(mutex_);
    std::erase_if(streams_, [](const auto& weak) { return weak.expired(); });
    streams_.push_back(stream);
  }
  std::shared_ptr<Stream> handle = stream->MakeHandle();
  stream->Start(std::move(handler));
  if (!why.ok()) stream->Break(why);
  return handle;
}

}  // namespace tributary
