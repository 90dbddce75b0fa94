// Hot lists in any order, of graphs of tests.
#ifndef TRIBUTARY_PARTITION_FORMAT_TESTING_HOT_LIST_OF_H_
#define TRIBUTARY_PARTITION_FORMAT_TESTING_HOT_LIST_OF_H_

#include <cstdint>
#include <memory>

#include "partition/format/graph.h"
#include "partition/format/hot_list.h"

namespace tributary {

// Orders the rows of each node type that has x or y at random. All partitions
// of `graph` are mapped, with their features. The digest differs by seed.
std::shared_ptr<const HotList> HotListOf(const Graph& graph, uint64_t seed);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_TESTING_HOT_LIST_OF_H_
