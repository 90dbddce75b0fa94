// A file that a fuzzer writes each of its inputs to.
#ifndef TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_
#define TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_

#include <fstream>
#include <string>

#include "absl/types/span.h"
#include "partition/format/testing/graph_builder.h"
#include "tests/fuzz/must.h"

namespace tributary {

// In a folder of its own, which goes with it. Write truncates.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name) : path_(folder_.File(name)) {}

  void Write(absl::Span<const uint8_t> bytes) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    Must(file.good(), "the scratch file is written");
  }
  const std::string& path() const { return path_; }

 private:
  const TemporaryFolder folder_;
  const std::string path_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_SCRATCH_FILE_H_
