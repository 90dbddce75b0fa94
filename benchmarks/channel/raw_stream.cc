#include "benchmarks/channel/raw_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace tributary {
namespace {

constexpr size_t kPiece = 16 << 10;
constexpr int kPieces = 65;

// Two ends of one TCP connection over loopback.
bool Connect(int ends[2]) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  const bool connected = bind(listener, generic, size) == 0 &&
                         listen(listener, 1) == 0 &&
                         getsockname(listener, generic, &size) == 0 &&
                         connect(ends[0], generic, size) == 0;
  ends[1] = connected ? accept(listener, nullptr, nullptr) : -1;
  close(listener);
  return ends[1] >= 0;
}

// The pieces of [at, size), at most kPieces. Returns how many.
int Pieces(uint8_t* base, size_t at, size_t size, iovec* pieces) {
  int n = 0;
  for (; n < kPieces && at < size; ++n) {
    pieces[n] = {base + at, std::min(kPiece, size - at)};
    at += pieces[n].iov_len;
  }
  return n;
}

using Call = ssize_t (*)(int, const iovec*, int);

bool Move(Call call, int fd, uint8_t* base, size_t size, int repeats) {
  iovec pieces[kPieces];
  for (int i = 0; i < repeats; ++i) {
    for (size_t at = 0; at < size;) {
      const ssize_t n = call(fd, pieces, Pieces(base, at, size, pieces));
      if (n <= 0) return false;
      at += static_cast<size_t>(n);
    }
  }
  return true;
}

}  // namespace

double RawStreamSeconds(const uint8_t* from, uint8_t* to, size_t size,
                        int repeats) {
  int ends[2];
  if (!Connect(ends)) return 0;
  const auto start = std::chrono::steady_clock::now();
  bool written = false;
  std::thread writer([&] {
    written = Move(writev, ends[0], const_cast<uint8_t*>(from), size, repeats);
    shutdown(ends[0], SHUT_WR);
  });
  const bool read = Move(readv, ends[1], to, size, repeats);
  writer.join();
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  close(ends[0]);
  close(ends[1]);
  return read && written ? took.count() : 0;
}

}  // namespace tributary
