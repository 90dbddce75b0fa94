// A descriptor that closes itself.
#ifndef TRIBUTARY_COMMON_IO_UNIQUE_FD_H_
#define TRIBUTARY_COMMON_IO_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace tributary {

// Move-only.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { Reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = other.Release();
    }
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // The caller's to close from now on.
  int Release() { return std::exchange(fd_, -1); }
  void Reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_UNIQUE_FD_H_
