// Collects the ends of edges and sorts them without a second copy of all.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_SORTED_RUNS_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_SORTED_RUNS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace tributary {

// One end of an edge: a row of this rank and the number of its neighbour.
struct HalfEdge {
  int64_t row = 0;
  int64_t neighbor = 0;
  friend auto operator<=>(const HalfEdge&, const HalfEdge&) = default;
};

// Half edges in sorted runs. Takes 16 bytes for each, less those that a run has
// twice.
class SortedRuns {
 public:
  // Sorts runs of at least `run_edges`; by default of 64 MiB.
  explicit SortedRuns(size_t run_edges = size_t{1} << 22)
      : run_edges_(run_edges) {}

  void Add(absl::Span<const HalfEdge> edges);
  // Calls `take` with each distinct half edge, ascending. Call it once, at the
  // end: it frees runs as it goes.
  void Merge(absl::FunctionRef<void(const HalfEdge&)> take);
  // How many half edges there are, some of them several times.
  size_t size() const;

 private:
  void CloseRun();

  const size_t run_edges_;
  std::vector<HalfEdge> open_;
  std::vector<std::vector<HalfEdge>> runs_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_SORTED_RUNS_H_
