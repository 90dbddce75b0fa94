#include "benchmarks/lib/measure/loopback_tcp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/io/unique_fd.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kFrame = size_t{1} << 20;
constexpr size_t kPrefix = 32;
constexpr size_t kBuffer = 64 * kFrame;
constexpr timeval kTimeout{10, 0};

absl::Status SystemError(const char* what) {
  return absl::UnavailableError(
      absl::StrCat("loopback ", what, ": ", std::strerror(errno)));
}

UniqueFd NewSocket() {
  return UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

bool SetTimeouts(const UniqueFd& s) {
  return setsockopt(s.get(), SOL_SOCKET, SO_RCVTIMEO, &kTimeout,
                    sizeof(kTimeout)) == 0 &&
         setsockopt(s.get(), SOL_SOCKET, SO_SNDTIMEO, &kTimeout,
                    sizeof(kTimeout)) == 0;
}

bool Prepare(const UniqueFd& s) {
  const int on = 1;
  return SetTimeouts(s) &&
         setsockopt(s.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0;
}

using Call = ssize_t (*)(int, const iovec*, int);

// Transfers all bytes of the two parts by `call`, which is writev or readv.
bool MoveAll(Call call, int fd, iovec (&parts)[2]) {
  int part = 0;
  while (part < 2) {
    const ssize_t n = call(fd, parts + part, 2 - part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    auto moved = static_cast<size_t>(n);
    while (part < 2 && moved >= parts[part].iov_len) {
      moved -= parts[part++].iov_len;
    }
    if (part == 2) break;
    parts[part].iov_base = static_cast<uint8_t*>(parts[part].iov_base) + moved;
    parts[part].iov_len -= moved;
  }
  return true;
}

// Transfers `bytes` in frames of 1 MiB, the last one shorter, from or to
// `memory`, from its beginning again where less than a frame is left of it.
bool MoveFrames(Call call, const UniqueFd& socket, absl::Span<uint8_t> memory,
                uint64_t bytes) {
  uint8_t prefix[kPrefix] = {};
  for (size_t at = 0; bytes > 0; at += kFrame) {
    if (at + kFrame > memory.size()) at = 0;
    const size_t length = std::min<uint64_t>(kFrame, bytes);
    iovec parts[2] = {{prefix, kPrefix}, {memory.data() + at, length}};
    if (!MoveAll(call, socket.get(), parts)) return false;
    bytes -= length;
  }
  return true;
}

absl::Status CheckMemory(size_t bytes) {
  if (bytes >= kFrame) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "memory of ", bytes, " bytes for a stream; at least ", kFrame));
}

// `memory(stream)` of each stream, on threads of their own.
template <typename Memory>
bool MoveStreams(Call call, const std::vector<UniqueFd>& sockets,
                 uint64_t bytes, Memory memory) {
  std::vector<char> moved(sockets.size(), false);
  std::vector<std::thread> threads;
  threads.reserve(sockets.size());
  for (size_t i = 0; i < sockets.size(); ++i) {
    threads.emplace_back([&, i] {
      moved[i] = MoveFrames(call, sockets[i], memory(i), bytes);
      if (!moved[i]) shutdown(sockets[i].get(), SHUT_RDWR);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::count(moved.begin(), moved.end(), false) == 0;
}

class Source final : public LoopbackSource {
 public:
  Source(UniqueFd listener, uint16_t port, absl::Span<const uint8_t> from)
      : listener_(std::move(listener)), port_(port), from_(from) {}

  uint16_t port() const override { return port_; }

  absl::Status Send(int streams, uint64_t bytes) override {
    std::vector<UniqueFd> sockets;
    for (int i = 0; i < streams; ++i) {
      sockets.emplace_back(
          accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!Prepare(sockets.back())) return SystemError("accept");
    }
    // writev does not write to its buffers.
    const absl::Span<uint8_t> from(const_cast<uint8_t*>(from_.data()),
                                   from_.size());
    const bool sent =
        MoveStreams(writev, sockets, bytes, [from](size_t) { return from; });
    return sent ? absl::OkStatus() : SystemError("send");
  }

 private:
  const UniqueFd listener_;
  const uint16_t port_;
  const absl::Span<const uint8_t> from_;
};

}  // namespace

sockaddr_in LoopbackAt(uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  return at;
}

absl::StatusOr<std::unique_ptr<LoopbackSource>> LoopbackSource::Listen(
    absl::Span<const uint8_t> from) {
  RETURN_IF_ERROR(CheckMemory(from.size()));
  UniqueFd listener = NewSocket();
  sockaddr_in at = LoopbackAt(0);
  socklen_t size = sizeof(at);
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  if (bind(listener.get(), address, size) != 0 ||
      listen(listener.get(), SOMAXCONN) != 0 || !SetTimeouts(listener) ||
      getsockname(listener.get(), address, &size) != 0) {
    return SystemError("listen");
  }
  return std::make_unique<Source>(std::move(listener), ntohs(at.sin_port),
                                  from);
}

absl::StatusOr<double> ReceiveSeconds(uint16_t port, int streams,
                                      uint64_t bytes, absl::Span<uint8_t> to) {
  const size_t part = to.size() / static_cast<size_t>(streams);
  RETURN_IF_ERROR(CheckMemory(part));
  const sockaddr_in at = LoopbackAt(port);
  std::vector<UniqueFd> sockets;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < streams; ++i) {
    sockets.push_back(NewSocket());
    if (!Prepare(sockets.back()) ||
        connect(sockets.back().get(), reinterpret_cast<const sockaddr*>(&at),
                sizeof(at)) != 0) {
      return SystemError("connect");
    }
  }
  const bool received = MoveStreams(readv, sockets, bytes, [&](size_t i) {
    return to.subspan(i * part, part);
  });
  if (!received) return SystemError("receive");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

absl::StatusOr<double> LoopbackTcpBytesPerSecond(int streams, uint64_t bytes) {
  AlignedBuffer from(kBuffer), to(kBuffer);
  std::memset(from.data(), 1, from.size());
  std::memset(to.data(), 1, to.size());
  ASSIGN_OR_RETURN(const auto source, LoopbackSource::Listen(from.span()));
  absl::Status sent;
  std::thread sender([&] { sent = source->Send(streams, bytes); });
  const auto seconds =
      ReceiveSeconds(source->port(), streams, bytes, to.span());
  sender.join();
  RETURN_IF_ERROR(sent);
  RETURN_IF_ERROR(seconds.status());
  return static_cast<double>(bytes) * streams / *seconds;
}

}  // namespace tributary
