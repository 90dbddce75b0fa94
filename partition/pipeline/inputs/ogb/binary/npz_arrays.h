// The arrays of an .npz file, compressed or not.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_NPZ_ARRAYS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_NPZ_ARRAYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/pipeline/inputs/arrays/array_file.h"
#include "partition/source/file_column.h"
#include "partition/source/spool.h"

namespace tributary {

// An .npz file. Arrays that are stored as they are (numpy.savez) are read in
// place. Those of a compressed file (numpy.savez_compressed) are inflated into
// the spool when they are opened, each once, in bounded memory.
class NpzArrays {
 public:
  // NOT_FOUND; DATA_LOSS, with the path, for a damaged file. `spool` must
  // outlive the result.
  static absl::StatusOr<NpzArrays> Open(const std::string& path,
                                        const Spool& spool);

  const std::string& path() const { return path_; }
  // The names of the arrays, without ".npy".
  const std::vector<std::string>& names() const { return names_; }
  bool Has(const std::string& name) const;
  // Returns what opening those of these arrays that there are inflates.
  std::vector<ParsedPart> Parts(absl::Span<const std::string> names) const;
  // Returns the name of the array for OpenArray and OpenPairs. NOT_FOUND lists
  // the arrays there are; RESOURCE_EXHAUSTED if the disk has too little room.
  absl::StatusOr<std::string> Locate(const std::string& name) const;
  // Opens the array. Errors as Locate and OpenArray.
  absl::StatusOr<FileArray> Find(const std::string& name) const;

 private:
  NpzArrays(std::string path, const Spool& spool)
      : path_(std::move(path)), spool_(&spool) {}
  absl::StatusOr<std::string> Inflate(const std::string& name) const;

  std::string path_;
  const Spool* spool_;
  bool compressed_ = false;
  std::vector<std::string> names_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_BINARY_NPZ_ARRAYS_H_
