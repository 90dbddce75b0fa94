// The columns of a graph's nodes or edges of one type: DGL's ndata and edata.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_DATA_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_DATA_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/runtime/mutex.h"
#include "common/tensor/dtype.h"
#include "partition/schema/schema.h"
#include "trainer_client/graph/graph_lookups.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {

// Rows [ids, dim] of a column; dim 0: [ids].
struct GraphRows {
  DType dtype = DType::kFloat32;
  int64_t dim = 0;
  size_t num_rows = 0;
  AlignedBuffer data;

  // Returns the values. Requires that T is the type of dtype.
  template <typename T>
  absl::Span<const T> As() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

// Reads columns by name, in the type that is stored:
//
//   nodes: "x" or "feat"; "y" or "label"; "time"
//   edges: "edge_attr", "feat" or "x"; "weight" or "w"; "time"; masks by their
//          names; "id"
//   both:  "NAME_mask" or "SCHEME/NAME_mask": uint8 1 where the split of that
//          name has the node or edge, else 0
//
// and tensors that were assigned. Stored columns are read-only. Rows of edges
// are read by edge id: FAILED_PRECONDITION for graphs without --edge-index.
// Thread-safe; a tensor must outlive the object or be removed.
class GraphData {
 public:
  // Of the nodes (or edges) of a type of `lookups`, which must outlive it.
  GraphData(const GraphLookups* lookups, bool of_edges, int type)
      : lookups_(lookups), of_edges_(of_edges), type_(type) {}

  // Names that Read knows, ascending: one for each column, and assigned ones.
  std::vector<std::string> Names() const;
  // Returns the dtype and the width of the rows that Read gives. NOT_FOUND
  // lists the names there are.
  absl::StatusOr<ColumnSchema> ColumnOf(const std::string& name) const;
  // The number of rows: nodes, or with an edge index the largest edge id + 1.
  int64_t num_rows() const;

  // Reads the rows of `ids`, in their order. NOT_FOUND lists the names there
  // are; OUT_OF_RANGE for an id.
  absl::StatusOr<GraphRows> Read(const std::string& name,
                                 absl::Span<const int64_t> ids) const;
  // Gives a tensor a name here: ndata["emb"] = tensor. Replaces an earlier one
  // of the name. FAILED_PRECONDITION for the name of a stored column;
  // INVALID_ARGUMENT if the tensor has another number of rows.
  absl::Status Assign(const std::string& name, DistTensor* tensor);
  // NOT_FOUND if no tensor has that name.
  absl::Status Remove(const std::string& name);
  // Returns the tensor of a name; null if there is none.
  DistTensor* Tensor(const std::string& name) const;

 private:
  struct StoredColumn {
    ColumnOfTable of;
    DType dtype = DType::kFloat32;
    int64_t dim = 0;
  };
  using Mask = std::vector<bool>;  // by id

  // Returns false if no stored column has that name.
  bool FindStored(const std::string& name, StoredColumn* found) const;
  bool FindNodeColumn(const std::string& name, StoredColumn* found) const;
  bool FindEdgeColumn(const std::string& name, StoredColumn* found) const;
  // The split that "NAME_mask" names; empty if it names none.
  std::string SplitOf(const std::string& name) const;
  std::string TypeName() const;
  absl::StatusOr<GraphRows> ReadStored(const StoredColumn& column,
                                       absl::Span<const int64_t> ids) const;
  absl::StatusOr<GraphRows> ReadMask(const std::string& split,
                                     absl::Span<const int64_t> ids) const;
  absl::StatusOr<std::shared_ptr<const Mask>> MaskOf(
      const std::string& split) const;
  absl::Status CheckIds(absl::Span<const int64_t> ids) const;
  absl::Status NoColumn(const std::string& name) const;

  const GraphLookups* const lookups_;
  const bool of_edges_;
  const int type_;
  mutable Mutex mutex_;
  std::map<std::string, DistTensor*> tensors_ ABSL_GUARDED_BY(mutex_);
  // By the split's name; read once.
  mutable std::map<std::string, std::shared_ptr<const Mask>> masks_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_GRAPH_DATA_H_
