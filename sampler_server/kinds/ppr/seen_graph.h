// The part of a graph that the pushes of a wave have reached.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_SEEN_GRAPH_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_SEEN_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "sampler_server/engine/ids/local_numbering.h"

namespace tributary {

// Numbers nodes by first occurrence and keeps their degrees, and the neighbours
// of those that have pushed, which are read once. Not thread-safe.
class SeenGraph {
 public:
  explicit SeenGraph(uint64_t num_nodes) : nodes_(num_nodes) {}

  // Sets numbers[i] to the number of ids[i]. Returns false if the numbering's
  // memory would exceed `most_bytes`, or when `stop` says so.
  bool Number(absl::Span<const uint64_t> ids, uint32_t* numbers,
              size_t most_bytes, StopCheck* stop = nullptr) {
    return nodes_.Number(ids, numbers, most_bytes, stop);
  }
  size_t size() const { return nodes_.size(); }
  uint64_t id(uint32_t number) const { return nodes_.ids()[number]; }

  // Nodes with a degree; those with higher numbers have none yet.
  size_t num_degrees() const { return degree_.size(); }
  absl::Span<const uint64_t> IdsWithoutDegree() const {
    return absl::MakeConstSpan(nodes_.ids()).subspan(degree_.size());
  }
  void AddDegrees(absl::Span<const uint64_t> degrees);
  uint64_t degree(uint32_t number) const { return degree_[number]; }

  // Returns true on the first call for a node: its neighbours must be read.
  // Requires its degree.
  bool WantNeighbors(uint32_t number);
  // Adds the neighbours, by number, of the nodes for which WantNeighbors was
  // true since the last call: `wanted`, in that order; node after node.
  void AddNeighbors(absl::Span<const uint32_t> wanted,
                    absl::Span<const uint32_t> neighbors);
  absl::Span<const uint32_t> neighbors(uint32_t number) const {
    return {neighbors_.data() + begin_[number], degree_[number]};
  }

  size_t bytes() const;
  // Returns the most memory that is held during AddDegrees and AddNeighbors of
  // so many.
  size_t BytesToAdd(uint64_t degrees, uint64_t neighbors) const;

 private:
  LocalNumbering nodes_;
  std::vector<uint64_t> degree_;
  std::vector<uint64_t> begin_;  // in neighbors_; UINT64_MAX: not wanted yet
  std::vector<uint32_t> neighbors_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_SEEN_GRAPH_H_
