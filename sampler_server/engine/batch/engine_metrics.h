// What the engine counts of nodes and rows: here, and asked of peers.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_ENGINE_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_ENGINE_METRICS_H_

#include <cstdint>

#include "common/observe/metrics.h"

namespace tributary {

// Thread-safe. A default-constructed object counts nothing.
class EngineMetrics {
 public:
  EngineMetrics() = default;
  explicit EngineMetrics(Metrics& metrics);

  // Count rows, of edges or of nodes, that are asked of peers, with their bytes
  // in the reply; and of those of nodes whose type the cache of hot rows has,
  // the ones found there, with the bytes that they would have taken, and the
  // others.
  void Ask(bool edges, uint64_t rows, uint64_t bytes) const;
  void Hit(uint64_t rows, uint64_t bytes) const;
  void Miss(uint64_t rows) const;
  // Counts nodes whose neighbours a hop draws, of one edge type each: in
  // partitions that are here, or at peers.
  void Hop(bool here, uint64_t nodes) const;

 private:
  // Handles, which change nothing of this object.
  mutable Counter node_rows_, node_bytes_, edge_rows_, edge_bytes_;
  mutable Counter hits_, saved_bytes_, misses_;
  mutable Counter nodes_here_, nodes_at_peers_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_ENGINE_METRICS_H_
