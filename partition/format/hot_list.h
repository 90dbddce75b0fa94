// A hot list: all rows of the graph's node types, those that batches read most
// first.
#ifndef TRIBUTARY_PARTITION_FORMAT_HOT_LIST_H_
#define TRIBUTARY_PARTITION_FORMAT_HOT_LIST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "common/io/file_mapping.h"

namespace tributary {

// Trainers hold the first rows of a list, and servers leave these out of
// batches. Position in the list is a row's rank: 0 is the hottest. The order
// and the rows' sums belong to the graph's content, so that lists of different
// layouts of a graph are the same list, with the same digest. Immutable and
// thread-safe.
class HotList {
 public:
  // The list of one node type, of N nodes. Views; the list owns the memory.
  struct Nodes {
    // [N], by rank: the original id. A permutation.
    absl::Span<const int64_t> order;
    // [N], by rank: CRC32C of the row as it is stored, x and then y.
    absl::Span<const uint32_t> crc;
    // [N], by internal id: the rank.
    absl::Span<const uint32_t> rank;
  };
  // The files that the digest covers, as clients read them: bytes of a name.
  struct File {
    std::string name;
    absl::Span<const uint8_t> bytes;
  };

  // `types`: by node type of the schema; those without rows in the list (no x
  // and no y, or 2^32 nodes and more) are empty. `digest` is that of the file
  // list.json, which is the first of `files`. `memory` owns all views.
  HotList(std::string name, const Sha256Digest& digest,
          std::vector<Nodes> types, std::vector<File> files,
          std::shared_ptr<const void> memory,
          std::shared_ptr<MappingDamage> damage = nullptr)
      : name_(std::move(name)),
        digest_(digest),
        types_(std::move(types)),
        files_(std::move(files)),
        memory_(std::move(memory)),
        damage_(std::move(damage)) {}

  // Not OK once bytes of its files were lost: what was read since may be wrong.
  absl::Status damage() const {
    return damage_ == nullptr ? absl::OkStatus() : damage_->status();
  }

  // Of the folder's lists: "degree", or what the user calls it.
  const std::string& name() const { return name_; }
  const Sha256Digest& digest() const { return digest_; }
  // Returns the list of a type; null if it has none.
  const Nodes* nodes(int node_type) const {
    const Nodes& nodes = types_[node_type];
    return nodes.order.empty() ? nullptr : &nodes;
  }
  const std::vector<File>& files() const { return files_; }
  // Returns the bytes that it maps or holds.
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const File& file : files_) sum += file.bytes.size();
    for (const Nodes& nodes : types_)
      sum += nodes.rank.size() * sizeof(uint32_t);
    return sum;
  }

 private:
  const std::string name_;
  const Sha256Digest digest_;
  const std::vector<Nodes> types_;
  const std::vector<File> files_;
  const std::shared_ptr<const void> memory_;
  const std::shared_ptr<MappingDamage> damage_;
};

// The lists of a graph, by name.
using HotLists = std::vector<std::shared_ptr<const HotList>>;

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_HOT_LIST_H_
