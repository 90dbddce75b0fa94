// Describes a graph's cache of hot rows, the file hot/hot.json, and the files
// of its hot lists.
#ifndef TRIBUTARY_PARTITION_FORMAT_HOT_MANIFEST_H_
#define TRIBUTARY_PARTITION_FORMAT_HOT_MANIFEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/hash/sha256.h"
#include "partition/schema/schema.h"

namespace tributary {

inline constexpr uint32_t kHotFormatVersion = 1;
inline constexpr uint32_t kHotListFilesVersion = 1;
inline constexpr size_t kMaxHotListFilesBytes = size_t{64} << 20;

// The rows of one node type that one partition's cache has.
struct HotRowsSchema {
  uint32_t partition = 0;
  std::string node_type;
  int64_t rows = 0;
};

// The contents of hot.json. The cache is derived from a graph's folder and
// belongs to one layout of it, whose graph.json does not mention it.
struct HotManifest {
  Sha256Digest layout_digest{};     // of the graph
  std::string made_by;              // the command line
  std::vector<HotRowsSchema> rows;  // ascending by partition, then type
  std::vector<FileSchema> files;    // all but hot.json; paths ascend

  // Returns canonical JSON: keys sorted, no spaces.
  std::string ToJson() const;
  // DATA_LOSS or INVALID_ARGUMENT, naming the key, if the text is no hot.json
  // of a version that this program reads.
  static absl::StatusOr<HotManifest> FromJson(std::string_view json);
  // Returns the rows of a type in a partition's cache; 0 if it has none.
  int64_t RowsOf(uint32_t partition, std::string_view node_type) const;
};

// The contents of hot-lists/NAME/files.json: what of a hot list depends on the
// graph's layout.
struct HotListFiles {
  Sha256Digest layout_digest{};   // of the graph
  std::string made_by;            // the command line
  std::vector<FileSchema> files;  // all but files.json; paths ascend

  // Returns canonical JSON: keys sorted, no spaces.
  std::string ToJson() const;
  // DATA_LOSS or INVALID_ARGUMENT, naming the key, if the text is no files.json
  // of a version that this program reads.
  static absl::StatusOr<HotListFiles> FromJson(std::string_view json);
};

// Returns the path of the cache's folder of the graph in `folder`.
std::string HotFolderOf(const std::string& folder);

// Reads hot.json of the graph in `folder`, which has the schema; none if there
// is no cache. FAILED_PRECONDITION, with what to do, if the cache belongs to
// another layout; DATA_LOSS for partitions, types or numbers of rows that the
// graph does not have; other errors as FromJson and ReadFile.
absl::StatusOr<std::optional<HotManifest>> ReadHotManifest(
    const std::string& folder, const GraphSchema& schema);

// Returns the most bytes of memory that the caches of `partitions` take in a
// server.
uint64_t HotBytesOf(const HotManifest& manifest, const GraphSchema& schema,
                    const std::vector<uint32_t>& partitions);

// Returns the bytes of a cached row of a type: its original id, x and y.
size_t HotRowBytes(const NodeTypeSchema& type);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_HOT_MANIFEST_H_
