// The digest of a graph's content, independent of its partitioning.
#ifndef TRIBUTARY_PARTITION_WRITER_CONTENT_DIGEST_H_
#define TRIBUTARY_PARTITION_WRITER_CONTENT_DIGEST_H_

#include "common/hash/sha256.h"
#include "partition/writer/content.h"

namespace tributary {

// Returns the sum modulo 2^256 of the SHA-256 of one record per node and one of
// the schema, as docs/graph-format.md defines. A sum does not depend on the
// order of the nodes, so all cores compute it. It detects accidental changes;
// against an adversary a sum is weaker than SHA-256 itself. Requires
// CheckContent(content).ok().
Sha256Digest ComputeContentDigest(const GraphContent& content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_CONTENT_DIGEST_H_
