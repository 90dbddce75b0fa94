#include "sampler_server/engine/batch/engine_metrics.h"

namespace tributary {
namespace {

constexpr char kRows[] = "tributary_remote_rows_total";
constexpr char kRowsHelp[] = "Rows that batches asked of peers";
constexpr char kBytes[] = "tributary_remote_row_bytes_total";
constexpr char kHops[] = "tributary_hop_nodes_total";
constexpr char kHopsHelp[] = "Nodes whose neighbours hops drew";
constexpr char kBytesHelp[] = "Bytes of these rows in the replies of peers";

}  // namespace

EngineMetrics::EngineMetrics(Metrics& m)
    : node_rows_(m.AddCounter(kRows, kRowsHelp, {{"table", "nodes"}})),
      node_bytes_(m.AddCounter(kBytes, kBytesHelp, {{"table", "nodes"}})),
      edge_rows_(m.AddCounter(kRows, kRowsHelp, {{"table", "edges"}})),
      edge_bytes_(m.AddCounter(kBytes, kBytesHelp, {{"table", "edges"}})),
      hits_(m.AddCounter("tributary_hot_cache_hits_total",
                         "Rows of other partitions found in the hot cache")),
      saved_bytes_(m.AddCounter(
          "tributary_hot_cache_saved_bytes_total",
          "Bytes that these rows would have taken in replies of peers")),
      misses_(m.AddCounter(
          "tributary_hot_cache_misses_total",
          "Rows of cached node types that the hot cache did not have")),
      nodes_here_(m.AddCounter(kHops, kHopsHelp, {{"where", "here"}})),
      nodes_at_peers_(m.AddCounter(kHops, kHopsHelp, {{"where", "peers"}})) {}

void EngineMetrics::Ask(bool edges, uint64_t rows, uint64_t bytes) const {
  (edges ? edge_rows_ : node_rows_).Add(static_cast<double>(rows));
  (edges ? edge_bytes_ : node_bytes_).Add(static_cast<double>(bytes));
}

void EngineMetrics::Hit(uint64_t rows, uint64_t bytes) const {
  hits_.Add(static_cast<double>(rows));
  saved_bytes_.Add(static_cast<double>(bytes));
}

void EngineMetrics::Miss(uint64_t rows) const {
  misses_.Add(static_cast<double>(rows));
}

void EngineMetrics::Hop(bool here, uint64_t nodes) const {
  (here ? nodes_here_ : nodes_at_peers_).Add(static_cast<double>(nodes));
}

}  // namespace tributary
