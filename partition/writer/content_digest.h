// The identity of a graph's content, whatever its partitioning.
#ifndef TRIBUTARY_PARTITION_WRITER_CONTENT_DIGEST_H_
#define TRIBUTARY_PARTITION_WRITER_CONTENT_DIGEST_H_

#include "common/hash/sha256.h"
#include "partition/writer/content.h"

namespace tributary {

// The sum modulo 2^256 of the SHA-256 of one record per node and one of the
// schema, by the bytes that docs/graph-format.md gives. Being a sum, it takes
// the nodes in any order, so it is made by all cores. It finds accidents and
// mix-ups; against an adversary a sum is weaker than SHA-256 itself. Requires
// CheckContent(content).ok().
Sha256Digest ComputeContentDigest(const GraphContent& content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_CONTENT_DIGEST_H_
