// The part of a graph's schema that follows from its content alone.
#ifndef TRIBUTARY_PARTITION_WRITER_CONTENT_SCHEMA_H_
#define TRIBUTARY_PARTITION_WRITER_CONTENT_SCHEMA_H_

#include <vector>

#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "partition/schema/schema.h"
#include "partition/writer/content.h"

namespace tributary {

// Returns the schema without all that partitioning and storing decide: base,
// partition_edges, options, files, digests.
GraphSchema SchemaOf(const GraphContent& content);

// Sets what is stored beside the content: neighbor_ids and degrees of all edge
// types; edge_index of those that users see, with num_edge_ids[type] ids.
void SetStored(GraphSchema& schema, bool neighbor_ids, bool degrees,
               bool edge_index, absl::Span<const int64_t> num_edge_ids);

// Returns the digest of the record of the schema (docs/graph-format.md).
// `splits` are those of `schema`.
Sha256Digest SchemaRecord(const GraphSchema& schema,
                          absl::Span<const SplitContent> splits);

// A little-endian number modulo 2^256: the sum of digests.
class DigestSum {
 public:
  void Add(const Sha256Digest& digest) {
    unsigned carry = 0;
    for (size_t i = 0; i < sum_.size(); ++i) {
      carry += unsigned{sum_[i]} + digest[i];
      sum_[i] = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
  }
  const Sha256Digest& value() const { return sum_; }

 private:
  Sha256Digest sum_{};
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_CONTENT_SCHEMA_H_
