#include "channel/grpc/tls/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

absl::Status Failed(const char* what) {
  return absl::ErrnoToStatus(
      errno, absl::StrCat("a file in memory for certificates: ", what));
}

bool WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::string MemoryFile::path() const {
  return absl::StrCat("/proc/self/fd/", fd_.get());
}

absl::Status MemoryFile::Replace(absl::string_view text) {
  UniqueFd fresh(memfd_create("tributary certificates", MFD_CLOEXEC));
  if (fresh.get() < 0) return Failed("memfd_create");
  if (!WriteAll(fresh.get(), text)) return Failed("write");
  // gRPC looks at whole seconds to see a change between two reads.
  const timespec stamp{++replaced_, 0};
  const timespec times[] = {stamp, stamp};
  if (futimens(fresh.get(), times) != 0) return Failed("futimens");
  if (fd_.get() < 0) {
    fd_ = std::move(fresh);
  } else if (dup3(fresh.get(), fd_.get(), O_CLOEXEC) < 0) {
    return Failed("dup3");
  }
  return absl::OkStatus();
}

}  // namespace tributary
