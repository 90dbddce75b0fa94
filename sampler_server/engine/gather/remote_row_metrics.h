// The metrics of rows that are not in the partitions of this server.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_REMOTE_ROW_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_REMOTE_ROW_METRICS_H_

#include <cstdint>

#include "common/observe/metrics.h"

namespace tributary {

// Thread-safe. A default-constructed object counts nothing.
class RemoteRowMetrics {
 public:
  RemoteRowMetrics() = default;
  explicit RemoteRowMetrics(Metrics& metrics);

  // Count rows, of edges or of nodes, that are asked of peers, with their bytes
  // in the reply; and of those of nodes whose type the cache of hot rows has,
  // the ones found there, with the bytes that they would have taken, and the
  // others.
  void Ask(bool edges, uint64_t rows, uint64_t bytes) const;
  void Hit(uint64_t rows, uint64_t bytes) const;
  void Miss(uint64_t rows) const;

 private:
  // Handles, which change nothing of this object.
  mutable Counter node_rows_, node_bytes_, edge_rows_, edge_bytes_;
  mutable Counter hits_, saved_bytes_, misses_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_REMOTE_ROW_METRICS_H_
