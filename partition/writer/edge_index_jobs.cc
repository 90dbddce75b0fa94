#include "partition/writer/edge_index_jobs.h"

#include <cstdint>

#include "partition/format/edge_index.h"
#include "partition/format/node_map.h"
#include "partition/format/paths.h"
#include "partition/writer/adjacency.h"

namespace tributary {
namespace {

// Calls f(edge id, partition, position) for each edge.
template <typename F>
void ForEachPlace(const Adjacency& edges, const Placement& destinations,
                  uint32_t num_partitions, F f) {
  for (uint32_t p = 0; p < num_partitions; ++p) {
    uint64_t position = 0;
    for (int64_t v : destinations.original_ids(p)) {
      const uint64_t end = edges.indptr()[v + 1];
      for (uint64_t i = edges.indptr()[v]; i < end; ++i) {
        f(static_cast<size_t>(edges.edge(i).edge_id), p, position++);
      }
    }
  }
}

}  // namespace

void AddEdgeIndexJobs(const EdgeContent& edges, const EdgeTypeSchema& schema,
                      const Placement& destinations,
                      std::vector<ArrayJob>& jobs) {
  const auto parts = static_cast<uint32_t>(schema.partition_edges.size());
  const Adjacency& adjacency = edges.in_edges;
  const auto ids = static_cast<size_t>(schema.num_edge_ids);
  const bool narrow = NodeMap::IsNarrow(parts);
  jobs.push_back(
      {EdgeIndexPath(schema, "partition"),
       narrow ? kNpyUint8 : kNpyUint16,
       {schema.num_edge_ids},
       [&adjacency, &destinations, parts, ids, narrow](ArrayWriter& out) {
         std::vector<uint16_t> partition(ids);
         ForEachPlace(adjacency, destinations, parts,
                      [&](size_t id, uint32_t p, uint64_t) {
                        partition[id] = static_cast<uint16_t>(p);
                      });
         for (uint16_t p : partition) {
           if (narrow) {
             out.Push(static_cast<uint8_t>(p));
           } else {
             out.Push(p);
           }
         }
       }});
  const NpyType type = EdgePositionType(schema.partition_edges);
  jobs.push_back(
      {EdgeIndexPath(schema, "position"),
       type,
       {schema.num_edge_ids},
       [&adjacency, &destinations, parts, ids, type](ArrayWriter& out) {
         std::vector<uint64_t> position(
             ids, EdgeIndex::NoPosition(type == kNpyUint64));
         ForEachPlace(
             adjacency, destinations, parts,
             [&](size_t id, uint32_t, uint64_t at) { position[id] = at; });
         for (uint64_t at : position) {
           PushId(out, type, static_cast<int64_t>(at));
         }
       }});
}

}  // namespace tributary
