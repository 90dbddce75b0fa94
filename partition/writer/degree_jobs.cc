#include "partition/writer/degree_jobs.h"

#include "partition/format/paths.h"
#include "partition/writer/adjacency.h"

namespace tributary {

void AddDegreeJobs(const EdgeContent& edges, const EdgeTypeSchema& schema,
                   int64_t num_sources, std::vector<ArrayJob>& jobs) {
  const Adjacency& adjacency = edges.in_edges;
  // No degree exceeds the number of edges.
  const NpyType type = IdType(static_cast<uint64_t>(adjacency.num_edges()) + 1);
  jobs.push_back({DegreePath(schema, "in"),
                  type,
                  {adjacency.num_nodes()},
                  [&adjacency, type](ArrayWriter& out) {
                    for (int64_t v = 0; v < adjacency.num_nodes(); ++v) {
                      PushId(out, type,
                             static_cast<int64_t>(adjacency.degree(v)));
                    }
                  }});
  jobs.push_back({DegreePath(schema, "out"),
                  type,
                  {num_sources},
                  [&adjacency, type, num_sources](ArrayWriter& out) {
                    std::vector<int64_t> degrees(num_sources);
                    const auto count =
                        static_cast<uint64_t>(adjacency.num_edges());
                    for (uint64_t i = 0; i < count; ++i) {
                      ++degrees[adjacency.edge(i).neighbor];
                    }
                    for (int64_t degree : degrees) PushId(out, type, degree);
                  }});
}

}  // namespace tributary
