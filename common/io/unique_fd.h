// A file descriptor that is closed by its destructor.
#ifndef TRIBUTARY_COMMON_IO_UNIQUE_FD_H_
#define TRIBUTARY_COMMON_IO_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace tributary {

// Owns a file descriptor, or none. Move-only.
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
  // Returns the descriptor, which the caller must now close.
  int Release() { return std::exchange(fd_, -1); }
  // Closes the descriptor, if there is one.
  void Reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_UNIQUE_FD_H_
