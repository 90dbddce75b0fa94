// Look-ups of nodes and edges by id, for classes of this folder.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_LOOKUPS_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_LOOKUPS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/proto/graph_reads.pb.h"
#include "partition/schema/schema.h"
#include "trainer_client/graph/graph_connection.h"

namespace tributary {

// A row of a partition's table: of a node, or the position of an edge.
struct PlacedRow {
  uint32_t partition = 0;
  uint64_t row = 0;
};

// The ends of edges, as original ids.
struct EdgeEnds {
  std::vector<int64_t> src;
  std::vector<int64_t> dst;
};

// A column of a table of a given type.
struct ColumnOfTable {
  bool of_edges = false;
  int type = 0;  // index in the schema
  v1::StoredColumn column = v1::STORED_COLUMN_UNSPECIFIED;
  std::string mask;  // its name, for STORED_COLUMN_MASK
  size_t row_bytes = 0;
};

// Answers each look-up by as few calls as the sizes allow: one round of calls
// tells where the rows are, another one reads them, grouped by partition.
// Results are in the order of the ids, of which any may come several times.
// Checks all that servers answer. Common errors: OUT_OF_RANGE for an id that
// does not exist; FAILED_PRECONDITION, naming the flag, if the graph was
// partitioned without what the look-up needs; those of GraphConnection::Read.
// Thread-safe.
class GraphLookups {
 public:
  // `connection` must outlive it.
  explicit GraphLookups(GraphConnection* connection)
      : connection_(connection), schema_(connection->schema()) {}

  // Types are indices in the schema; they must exist.

  absl::StatusOr<std::vector<int64_t>> InternalIds(
      int node_type, absl::Span<const int64_t> ids) const;
  absl::StatusOr<std::vector<int64_t>> OriginalIds(
      int node_type, absl::Span<const int64_t> internal) const;
  absl::StatusOr<std::vector<PlacedRow>> LocateNodes(
      int node_type, absl::Span<const int64_t> ids) const;
  absl::StatusOr<std::vector<PlacedRow>> LocateEdges(
      int edge_type, absl::Span<const int64_t> ids) const;

  // Reads rows of a stored column into `out`, rows.size() * row_bytes.
  absl::Status ReadColumn(const ColumnOfTable& column,
                          absl::Span<const PlacedRow> rows,
                          absl::Span<uint8_t> out) const;
  absl::StatusOr<EdgeEnds> FindEdges(int edge_type,
                                     absl::Span<const int64_t> ids) const;
  absl::StatusOr<std::vector<int64_t>> InDegrees(
      int edge_type, absl::Span<const int64_t> ids) const;
  // From stored degrees, or from the reverse edge type.
  absl::StatusOr<std::vector<int64_t>> OutDegrees(
      int edge_type, absl::Span<const int64_t> ids) const;

  const GraphSchema& schema() const { return schema_; }
  GraphConnection& connection() const { return *connection_; }

 private:
  using MakeHeader =
      std::function<std::string(uint32_t partition, size_t num_rows)>;
  // Calls `kind` for rows, grouped by partition. `take` gets each row's index
  // in `rows`, the reply that has it, its place there, and the number of rows
  // of that reply.
  using TakeRow = std::function<absl::Status(
      size_t index, absl::Span<const uint8_t> reply, size_t at, size_t count)>;
  absl::Status ReadRows(MessageKind kind, absl::Span<const PlacedRow> rows,
                        size_t row_bytes, const MakeHeader& header,
                        const TakeRow& take) const;
  // Calls `kind` for ids, at any server.
  absl::Status ReadIds(MessageKind kind, absl::Span<const int64_t> ids,
                       size_t row_bytes, const MakeHeader& header,
                       const TakeRow& take) const;
  absl::Status CheckIds(int node_type, absl::Span<const int64_t> ids) const;

  GraphConnection* const connection_;
  const GraphSchema& schema_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_LOOKUPS_H_
