// Counts how often batches read the rows of each node.
#ifndef TRIBUTARY_CLI_HOT_ACCESS_COUNTS_H_
#define TRIBUTARY_CLI_HOT_ACCESS_COUNTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/batch/batch_view.h"
#include "partition/schema/schema.h"

namespace tributary {

// A counter of 32 bits for each node, by original id; a full one stays full.
// Not thread-safe.
class AccessCounts {
 public:
  explicit AccessCounts(const GraphSchema& schema);

  // Counts each node of the batch once for each row that it has there.
  // DATA_LOSS for a node that the graph does not have.
  absl::Status Add(const BatchView& batch);
  void Clear();
  absl::Span<const uint32_t> of(int node_type) const {
    return counts_[node_type];
  }

 private:
  std::vector<std::string> tensor_;  // the name of n_id, by node type
  std::vector<std::vector<uint32_t>> counts_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_HOT_ACCESS_COUNTS_H_
