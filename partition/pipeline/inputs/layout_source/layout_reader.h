// Reads a graph as a layout describes it.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_READER_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_READER_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/layout/graph_layout.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// What is done beside what the layout says.
struct LayoutReading {
  // As in EdgeSource for a homogeneous graph; of a typed one each relation R
  // gets a reverse rev_R with the same ids.
  bool add_reverse = false;
  bool dedupe = false;
  std::string name;  // the graph's name
  // Bytes for a step that needs memory: sorting ids, ordering rows.
  size_t memory = size_t{256} << 20;
};

// Opens arrays in place and parses text into the spool. A node type's ids are
// kept in the spool, and named in GraphSource::id_files, unless they are the
// numbers 0 to N - 1. INVALID_ARGUMENT with file, line or row, column, and what
// is allowed; NOT_FOUND; DATA_LOSS for damaged files; the system's errors.
absl::StatusOr<GraphSource> ReadLayout(const GraphLayout& layout,
                                       const LayoutReading& reading,
                                       const Spool& spool);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_READER_H_
