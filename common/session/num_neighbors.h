// Fanouts: how many neighbours each hop draws.
#ifndef TRIBUTARY_COMMON_SESSION_NUM_NEIGHBORS_H_
#define TRIBUTARY_COMMON_SESSION_NUM_NEIGHBORS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tributary {

// Neighbours per node and hop, nearest hop first; -1: all. A default, and edge
// types that differ from it. A list of numbers is the default alone:
//
//   options.num_neighbors = {15, 10, 5};
//   options.num_neighbors.by_edge_type["author,writes,paper"] = {5, 0, 0};
struct NumNeighbors {
  using Fanouts = std::vector<int32_t>;

  NumNeighbors() = default;
  NumNeighbors(
      std::initializer_list<int32_t> fanouts)  // NOLINT(runtime/explicit)
      : by_default(fanouts) {}
  NumNeighbors(Fanouts fanouts,  // NOLINT(runtime/explicit)
               std::map<std::string, Fanouts> of_edge_types = {})
      : by_default(std::move(fanouts)),
        by_edge_type(std::move(of_edge_types)) {}

  // Returns the number of hops: that of the default, or of the first edge type.
  size_t hops() const {
    if (!by_default.empty() || by_edge_type.empty()) return by_default.size();
    return by_edge_type.begin()->second.size();
  }

  // Fanouts of edge types without an entry; empty: 0 in every hop. With
  // edge_dir both it does not apply to reverse edge types, whose edges are
  // drawn with the edge types that they reverse.
  Fanouts by_default;
  std::map<std::string, Fanouts> by_edge_type;  // "src,rel,dst"
  friend bool operator==(const NumNeighbors&, const NumNeighbors&) = default;
};

// Parses "15,10,5", or "4,3;publication,author,person=2,0" (a default, then
// edge types), or "a,b,c=2,0;d,e,f=1,1" (no default). INVALID_ARGUMENT with the
// text.
absl::StatusOr<NumNeighbors> ParseNumNeighbors(std::string_view text);
// Returns the text that ParseNumNeighbors() reads.
std::string NumNeighborsText(const NumNeighbors& neighbors);

// Checks that there are 1 to kMaxHops hops, the same number in all lists, and
// that each fanout is -1 to kMaxFanout. INVALID_ARGUMENT with what is allowed.
absl::Status CheckNumNeighbors(const NumNeighbors& neighbors);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_NUM_NEIGHBORS_H_
