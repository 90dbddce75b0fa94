// The part of a graph that pushes have come to.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_SEEN_GRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_SEEN_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sampler_server/engine/ids/local_numbering.h"

namespace tributary {

// Nodes by numbers of its own, given by first occurrence; their degrees; and
// the neighbours of those that have pushed, read once. Not thread-safe.
class SeenGraph {
 public:
  explicit SeenGraph(uint64_t num_nodes) : nodes_(num_nodes) {}

  // numbers[i] becomes the number of ids[i]. False when bytes() would exceed
  // `most_bytes`.
  bool Number(absl::Span<const uint64_t> ids, uint32_t* numbers,
              size_t most_bytes) {
    return nodes_.Number(ids, numbers, most_bytes);
  }
  size_t size() const { return nodes_.size(); }
  uint64_t id(uint32_t number) const { return nodes_.ids()[number]; }

  // Those without a degree are numbered from here on.
  size_t num_degrees() const { return degree_.size(); }
  absl::Span<const uint64_t> IdsWithoutDegree() const {
    return absl::MakeConstSpan(nodes_.ids()).subspan(degree_.size());
  }
  void AddDegrees(absl::Span<const uint64_t> degrees);
  uint64_t degree(uint32_t number) const { return degree_[number]; }

  // True once for each node: its neighbours are to be read. Requires a degree.
  bool WantNeighbors(uint32_t number);
  // Of the nodes that were wanted since, in that order: `neighbors` of one
  // after the other, by their numbers.
  void AddNeighbors(absl::Span<const uint32_t> wanted,
                    absl::Span<const uint32_t> neighbors);
  absl::Span<const uint32_t> neighbors(uint32_t number) const {
    return {neighbors_.data() + begin_[number], degree_[number]};
  }

  size_t bytes() const;
  // What AddDegrees and AddNeighbors may hold at most meanwhile.
  size_t BytesToAdd(uint64_t degrees, uint64_t neighbors) const;

 private:
  LocalNumbering nodes_;
  std::vector<uint64_t> degree_;
  std::vector<uint64_t> begin_;  // in neighbors_; UINT64_MAX: never wanted
  std::vector<uint32_t> neighbors_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_SEEN_GRAPH_H_
