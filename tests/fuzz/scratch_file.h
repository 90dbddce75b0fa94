// A file that a fuzzer writes each of its inputs to.
#ifndef TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_
#define TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "absl/types/span.h"
#include "tests/fuzz/must.h"

namespace tributary {

// In memory, with a path for as long as it lives: no disk, so that a fuzzer is
// fast. Nothing may have it mapped when it is written.
class ScratchFile {
 public:
  ScratchFile() : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    Must(descriptor_ >= 0, "a file in memory can be made");
  }
  ~ScratchFile() { close(descriptor_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

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
