// Opens the arrays of a graph folder and checks them against graph.json, or
// another file that lists them.
#ifndef TRIBUTARY_PARTITION_FORMAT_ARRAY_READER_H_
#define TRIBUTARY_PARTITION_FORMAT_ARRAY_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/file_mapping.h"
#include "common/tensor/npy.h"
#include "partition/format/graph_bytes.h"
#include "partition/format/paths.h"
#include "partition/format/row_file.h"
#include "partition/schema/schema.h"

namespace tributary {

// A view of the elements of a mapped array.
struct MappedArray {
  NpyType type;
  absl::Span<const uint8_t> data;

  // Returns the elements as T. Requires sizeof(T) == type.size.
  template <typename T>
  absl::Span<const T> As() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

// Opens arrays below `folder` and keeps the mappings and row files until they
// are taken. Not thread-safe.
class ArrayReader {
 public:
  // `files` must outlive the reader; `listing` is the file that lists them, for
  // messages. `cancelled` is that of OpenOptions.
  ArrayReader(std::string folder, const std::vector<FileSchema>& files,
              bool verify, std::function<bool()> cancelled,
              std::string listing = kGraphJson)
      : folder_(std::move(folder)),
        files_(files),
        verify_(verify),
        cancelled_(std::move(cancelled)),
        listing_(std::move(listing)) {}

  // Sets which arrays are copied instead of mapped from now on.
  void set_copied(const CopiedArrays& copied) { copied_ = copied; }

  // Maps an array, which must have one of `types` and `shape`. DATA_LOSS,
  // naming the file, if the listing does not have it, its length or header
  // differs, or (with verify) its CRC32C differs; NOT_FOUND if it does not
  // exist; CANCELLED.
  absl::StatusOr<MappedArray> Read(const std::string& path,
                                   absl::Span<const NpyType> types,
                                   absl::Span<const int64_t> shape);

  // Like Read, for an array whose rows are to be read instead of mapped. The
  // result is owned by the reader, then by what TakeRowFiles returns.
  absl::StatusOr<const RowFile*> OpenRows(const std::string& path,
                                          absl::Span<const NpyType> types,
                                          absl::Span<const int64_t> shape);

  // Says whether bytes of the files opened so far were lost.
  const std::shared_ptr<MappingDamage>& damage() const { return damage_; }

  // Return the files opened so far, which must outlive all views of them.
  std::vector<FileMapping> TakeMappings() { return std::move(mappings_); }
  std::vector<std::unique_ptr<RowFile>> TakeRowFiles() {
    return std::move(row_files_);
  }

 private:
  struct Opened {
    std::string path;
    FileMapping mapping;
    NpyHeader header;
  };
  absl::StatusOr<Opened> Open(const std::string& path,
                              absl::Span<const NpyType> types,
                              absl::Span<const int64_t> shape, bool may_copy);
  absl::StatusOr<FileMapping> MapOrCopy(const std::string& full_path,
                                        bool copies) const;
  absl::Status CheckCrc(const std::string& path, const FileSchema& file,
                        absl::Span<const uint8_t> bytes);

  const std::string folder_;
  const std::vector<FileSchema>& files_;
  const bool verify_;
  const std::function<bool()> cancelled_;
  const std::string listing_;
  CopiedArrays copied_;
  const std::shared_ptr<MappingDamage> damage_ =
      std::make_shared<MappingDamage>();
  std::vector<FileMapping> mappings_;
  std::vector<std::unique_ptr<RowFile>> row_files_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ARRAY_READER_H_
