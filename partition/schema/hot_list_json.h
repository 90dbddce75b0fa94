// Describes a hot list: the file list.json, which its digest is of.
#ifndef TRIBUTARY_PARTITION_SCHEMA_HOT_LIST_JSON_H_
#define TRIBUTARY_PARTITION_SCHEMA_HOT_LIST_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"

namespace tributary {

inline constexpr uint32_t kHotListFormatVersion = 1;
// The name of the list by degree alone, which is made with the graph.
inline constexpr char kDegreeList[] = "degree";
// Arrays of a list have digests in blocks of so many ranks, so that a part of
// them can be checked by itself.
inline constexpr uint64_t kHotListBlockRows = 65'536;
inline constexpr size_t kMaxHotListJsonBytes = size_t{4} << 20;

// The list of one node type. The two digests are SHA-256 of the digests of all
// blocks, one after the other: of `order`, int64 original ids by rank, and of
// `crc`, the rows' CRC32C by rank.
struct HotListType {
  std::string name;
  int64_t rows = 0;  // as many as the type has nodes
  Sha256Digest order_blocks{};
  Sha256Digest crc_blocks{};

  uint64_t num_blocks() const {
    return (static_cast<uint64_t>(rows) + kHotListBlockRows - 1) /
           kHotListBlockRows;
  }
};

// The contents of list.json. Nothing in it depends on the graph's layout.
struct HotListJson {
  Sha256Digest content_digest{};        // of the graph
  std::vector<HotListType> node_types;  // names ascend

  // Returns canonical JSON: keys sorted, no spaces.
  std::string ToJson() const;
  // DATA_LOSS or INVALID_ARGUMENT, naming the key, if the text is no list.json
  // of a version that this program reads.
  static absl::StatusOr<HotListJson> FromJson(std::string_view json);
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_HOT_LIST_JSON_H_
