// A file that a fuzzer rewrites with each of its inputs.
#ifndef TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_
#define TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "absl/types/span.h"
#include "tests/fuzz/must.h"

namespace tributary {

// Lies in memory, so that the fuzzer is not slowed by a disk, and has a path as
// long as this object lives. Not thread-safe.
class ScratchFile {
 public:
  ScratchFile() : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    Must(descriptor_ >= 0, "a file in memory can be made");
  }
  ~ScratchFile() { close(descriptor_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Replaces the content. Requires that nobody has the file mapped.
  void Write(absl::Span<const uint8_t> bytes) const {
    Must(ftruncate(descriptor_, 0) == 0 &&
             pwrite(descriptor_, bytes.data(), bytes.size(), 0) ==
                 static_cast<ssize_t>(bytes.size()),
         "the file is written");
  }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  const int descriptor_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_
