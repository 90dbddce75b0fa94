// Makes a disk slow: preloaded into a server (LD_PRELOAD), lets each read of
// rows from a file wait for SLOW_DISK_MS milliseconds, as a disk that seeks,
// and says that nothing is in the page cache.
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace {

void Seek() {
  const char* text = std::getenv("SLOW_DISK_MS");
  const long ms = text == nullptr ? 0 : std::atol(text);
  timespec left = {ms / 1000, ms % 1000 * 1'000'000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace

extern "C" {

ssize_t preadv(int file, const iovec* vectors, int count, off_t offset) {
  Seek();
  return syscall(SYS_preadv, file, vectors, count, offset, 0L);
}

// Called with RWF_NOWAIT alone.
ssize_t preadv2(int, const iovec*, int, off_t, int) {
  errno = EAGAIN;
  return -1;
}

}  // extern "C"
