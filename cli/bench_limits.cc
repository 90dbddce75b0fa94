#include "cli/bench_limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/buffer.h"
#include "common/status.h"

namespace tributary {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr size_t kFrame = size_t{1} << 20;
constexpr size_t kPrefix = 32;
constexpr size_t kTcpBuffer = 64 * kFrame;  // larger than most caches
constexpr size_t kCopyBuffer = size_t{64} << 20;
constexpr size_t kAllCopyBuffers = size_t{1} << 30;
constexpr int kSocketTimeoutSeconds = 10;

double SecondsSince(SteadyTime start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// The sum of what `piece(thread)` returns, per second; again and again in each
// of the threads until `time` has passed, at least once.
double RateOf(int threads, absl::Duration time,
              absl::FunctionRef<uint64_t(int thread)> piece) {
  std::atomic<uint64_t> total = 0;
  const double seconds = absl::ToDoubleSeconds(time);
  const SteadyTime start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      do {
        total += piece(t);
      } while (SecondsSince(start) < seconds);
    });
  }
  for (std::thread& worker : workers) worker.join();
  return static_cast<double>(total) / SecondsSince(start);
}

// A descriptor of this process.
class Socket {
 public:
  explicit Socket(int fd = -1) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

absl::Status SystemError(const char* what) {
  return absl::UnavailableError(
      absl::StrCat("loopback ", what, ": ", std::strerror(errno)));
}

struct Connection {
  Socket from;
  Socket to;
};

absl::StatusOr<Connection> Connect() {
  const Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(at);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  if (bind(listener.fd(), address, size) != 0 ||
      listen(listener.fd(), 1) != 0 ||
      getsockname(listener.fd(), address, &size) != 0) {
    return SystemError("listen");
  }
  Connection c{Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
               Socket()};
  if (connect(c.from.fd(), address, size) != 0) return SystemError("connect");
  c.to = Socket(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  const timeval timeout{kSocketTimeoutSeconds, 0};
  const int on = 1;
  for (const int fd : {c.from.fd(), c.to.fd()}) {
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) !=
            0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) !=
            0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) {
      return SystemError("accept");
    }
  }
  return c;
}

// Moves all of `prefix` and `frame` by `move`, which is writev or readv.
bool MoveAll(ssize_t (*move)(int, const iovec*, int), int fd, uint8_t* prefix,
             uint8_t* frame) {
  iovec parts[] = {{prefix, kPrefix}, {frame, kFrame}};
  size_t part = 0;
  while (part < 2) {
    const ssize_t n = move(fd, parts + part, static_cast<int>(2 - part));
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

bool MoveFrames(ssize_t (*move)(int, const iovec*, int), int fd,
                uint64_t frames, AlignedBuffer& buffer) {
  uint8_t prefix[kPrefix] = {};
  for (uint64_t i = 0; i < frames; ++i) {
    uint8_t* frame = buffer.data() + i * kFrame % kTcpBuffer;
    if (!MoveAll(move, fd, prefix, frame)) return false;
  }
  return true;
}

AlignedBuffer Touched(size_t bytes) {
  AlignedBuffer buffer(bytes);
  std::memset(buffer.data(), 1, bytes);
  return buffer;
}

}  // namespace

double RandomLinesPerSecond(int threads, uint64_t bytes, absl::Duration time) {
  const uint64_t lines =
      std::clamp<uint64_t>(bytes / kCacheLine, 1, UINT32_MAX);
  const AlignedBuffer memory = Touched(lines * kCacheLine);
  std::atomic<uint64_t> sink = 0;  // so that the reads are not left out
  std::atomic<uint64_t> seed = 88172645463325252u;
  return RateOf(threads, time, [&](int) {
    constexpr uint64_t kReads = 1 << 16;
    const uint8_t* base = memory.data();
    uint64_t x = seed.fetch_add(0x9E3779B97F4A7C15u), sum = 0;
    for (uint64_t i = 0; i < kReads; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      sum += base[((x >> 32) * lines >> 32) * kCacheLine];
    }
    sink += sum;
    return kReads;
  });
}

double MemcpyBytesPerSecond(int threads, absl::Duration time) {
  const size_t bytes =
      std::min(kCopyBuffer, kAllCopyBuffers / 2 / static_cast<size_t>(threads));
  std::vector<AlignedBuffer> from, to;
  for (int t = 0; t < threads; ++t) {
    from.push_back(Touched(bytes));
    to.push_back(Touched(bytes));
  }
  return RateOf(threads, time, [&](int t) {
    std::memcpy(to[t].data(), from[t].data(), bytes);
    return uint64_t{bytes};
  });
}

absl::StatusOr<double> TcpBytesPerSecond(uint64_t bytes) {
  ASSIGN_OR_RETURN(const Connection connection, Connect());
  AlignedBuffer source = Touched(kTcpBuffer), target = Touched(kTcpBuffer);
  const uint64_t frames = std::max<uint64_t>(1, (bytes + kFrame - 1) / kFrame);
  const SteadyTime start = std::chrono::steady_clock::now();
  bool written = false;
  std::thread writer([&] {
    written = MoveFrames(writev, connection.from.fd(), frames, source);
    if (!written) shutdown(connection.from.fd(), SHUT_RDWR);
  });
  const bool read = MoveFrames(readv, connection.to.fd(), frames, target);
  if (!read) shutdown(connection.to.fd(), SHUT_RDWR);
  writer.join();
  if (!read || !written) return SystemError("transfer");
  return static_cast<double>(frames * kFrame) / SecondsSince(start);
}

}  // namespace tributary
