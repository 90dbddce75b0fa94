// The state that the steps of reading a layout hand on to one another.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_STATE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_STATE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "partition/pipeline/inputs/layout/graph_layout.h"
#include "partition/pipeline/inputs/tables/id_dictionary.h"
#include "partition/pipeline/inputs/tables/table.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Columns of one type's table, by its rows; null where the layout has none.
struct TableColumns {
  std::shared_ptr<Table> table;  // null: there is none
  ColumnPtr id, from, to;        // ids as CellKind says
  ColumnPtr features, labels, time, weight;
  ColumnPtr split;  // texts
  std::map<std::string, ColumnPtr> masks, splits;
};

struct NodeState {
  NodeLayout layout;
  IdKind ids = IdKind::kDense;  // kAuto: kNumber or kString, as it turns out
  TableColumns table;
  std::optional<IdDictionary> dictionary;  // none: ids are numbers from 0
  // The node of each row of the table; null: its row.
  ColumnPtr node_of_row;
  NodeSource source;
};

struct EdgeState {
  EdgeLayout layout;
  int src_type = 0, dst_type = 0;
  TableColumns table;
  EdgeSource source;
};

struct LayoutState {
  const GraphLayout& layout;
  const Spool& spool;
  size_t memory = 0;  // bytes for each step
  std::vector<NodeState> nodes;
  std::vector<EdgeState> edges;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_LAYOUT_SOURCE_LAYOUT_STATE_H_
