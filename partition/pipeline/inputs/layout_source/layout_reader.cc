#include "partition/pipeline/inputs/layout_source/layout_reader.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"
#include "partition/format/paths.h"
#include "partition/pipeline/inputs/layout_source/layout_arrays.h"
#include "partition/pipeline/inputs/layout_source/layout_state.h"
#include "partition/pipeline/inputs/layout_source/number_nodes.h"
#include "partition/pipeline/inputs/layout_source/read_splits.h"
#include "partition/pipeline/inputs/layout_source/read_tables.h"
#include "partition/source/reverse_types.h"

namespace tributary {
namespace {

LayoutState MakeState(const GraphLayout& layout, const Spool& spool,
                      size_t memory) {
  LayoutState state{layout, spool, memory, {}, {}};
  for (const NodeLayout& nodes : layout.nodes) {
    state.nodes.emplace_back();
    state.nodes.back().layout = nodes;
    state.nodes.back().source.name = nodes.name;
  }
  for (const EdgeLayout& edges : layout.edges) {
    EdgeState& to = state.edges.emplace_back();
    to.layout = edges;
    to.src_type = layout.FindNodes(edges.src);
    to.dst_type = layout.FindNodes(edges.dst);
    to.source.src = edges.src;
    to.source.rel = edges.rel;
    to.source.dst = edges.dst;
    to.source.src_type = to.src_type;
    to.source.dst_type = to.dst_type;
  }
  return state;
}

// Writes a column of the spool as an .npy file beside it, unless an earlier run
// has done so.
absl::Status WriteNpy(const Column& column, const std::string& path) {
  constexpr int64_t kBlock = 65536;
  const std::string temporary = path + ".tmp";
  (void)std::remove(temporary.c_str());
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(temporary));
  const ColumnSchema& schema = column.schema();
  RETURN_IF_ERROR(file.Append(FormatNpyHeader(
      NpyTypeOf(schema.dtype), schema.array_shape(column.num_rows()))));
  std::vector<uint8_t> block;
  for (int64_t at = 0; at < column.num_rows(); at += kBlock) {
    const int64_t count = std::min(kBlock, column.num_rows() - at);
    block.resize(static_cast<size_t>(count) * schema.row_bytes());
    RETURN_IF_ERROR(column.Read(at, count, block.data()));
    RETURN_IF_ERROR(file.Append(block));
  }
  RETURN_IF_ERROR(file.Close());
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return PathError(path, "rename a file to");
  }
  return absl::OkStatus();
}

absl::Status WriteIds(const LayoutState& state, GraphSource& source) {
  for (size_t t = 0; t < state.nodes.size(); ++t) {
    const auto& ids = state.nodes[t].dictionary;
    if (!ids.has_value() || ids->identity) continue;
    const std::string& type = state.nodes[t].layout.name;
    const auto write = [&](const ColumnPtr& column, const char* array) {
      const std::string path =
          absl::StrCat(state.spool.folder(), "/ids", t, "-", array, ".npy");
      source.id_files[ExternalIdsPath(type, array)] = path;
      return WriteNpy(*column, path);
    };
    if (ids->is_numbers()) {
      RETURN_IF_ERROR(write(ids->numbers, kExternalNumbers));
    } else {
      RETURN_IF_ERROR(write(ids->offsets, kExternalOffsets));
      RETURN_IF_ERROR(write(ids->bytes, kExternalBytes));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GraphSource> ReadLayout(const GraphLayout& layout,
                                       const LayoutReading& reading,
                                       const Spool& spool) {
  LayoutState state = MakeState(layout, spool, reading.memory);
  GraphSource source;
  source.name = reading.name;
  source.heterogeneous = layout.heterogeneous();
  source.notes = layout.notes;
  RETURN_IF_ERROR(ReadTables(state, source.notes));
  RETURN_IF_ERROR(NumberNodes(state, source.notes));
  for (EdgeState& edges : state.edges) {
    RETURN_IF_ERROR(OpenEdgeColumns(state, edges));
    edges.source.dedupe = reading.dedupe;
    edges.source.add_reverse = reading.add_reverse && !source.heterogeneous;
  }
  if (spool.progress() != nullptr) {
    spool.progress()->Begin("reads the splits");
  }
  ASSIGN_OR_RETURN(source.splits, ReadSplits(state, source.notes));
  for (NodeState& nodes : state.nodes) {
    source.node_types.push_back(nodes.source);
  }
  for (EdgeState& edges : state.edges) {
    source.edge_types.push_back(edges.source);
  }
  if (reading.add_reverse && source.heterogeneous) {
    RETURN_IF_ERROR(AddReverseTypes(layout.origin, source));
  }
  RETURN_IF_ERROR(WriteIds(state, source));
  return source;
}

}  // namespace tributary
