// Test helpers: columns in memory, and small graphs made of them.
#ifndef TRIBUTARY_PARTITION_SOURCE_TESTING_MEMORY_COLUMN_H_
#define TRIBUTARY_PARTITION_SOURCE_TESTING_MEMORY_COLUMN_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Rows in memory. Where(7) is "NAME, row 7".
class MemoryColumn final : public Column {
 public:
  // Requires bytes.size() to be a multiple of schema.row_bytes().
  MemoryColumn(ColumnSchema schema, std::vector<uint8_t> bytes,
               std::string name)
      : Column(schema,
               schema.row_bytes() == 0
                   ? 0
                   : static_cast<int64_t>(bytes.size() / schema.row_bytes())),
        bytes_(std::move(bytes)),
        name_(std::move(name)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    if (begin < 0 || count < 0 || begin > num_rows() - count) {
      return absl::InternalError(absl::StrCat(name_, " has no rows [", begin,
                                              ", ", begin + count, ")"));
    }
    const size_t size = static_cast<size_t>(count) * schema().row_bytes();
    if (size == 0) return absl::OkStatus();
    std::memcpy(
        out, bytes_.data() + static_cast<size_t>(begin) * schema().row_bytes(),
        size);
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override {
    return absl::StrCat(name_, ", row ", row);
  }

 private:
  const std::vector<uint8_t> bytes_;
  const std::string name_;
};

// Returns the DType of a C++ type.
template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kUint8;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kInt64;
}

// Returns a column of `values`; with `dim` > 0, of rows of `dim` values.
template <typename T>
ColumnPtr MakeColumn(const std::vector<T>& values, int64_t dim = 0,
                     std::string name = "memory") {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return std::make_shared<MemoryColumn>(ColumnSchema{DTypeOf<T>(), dim},
                                        std::move(bytes), std::move(name));
}

// Pairs of (from, to), by original ids.
using EdgePairs = std::vector<std::pair<int64_t, int64_t>>;

// Returns edges of the types `src_type` and `dst_type` of `graph`, which must
// have its node types already. Columns are named "from" and "to".
inline EdgeSource MakeEdges(const GraphSource& graph, int src_type,
                            const std::string& rel, int dst_type,
                            const EdgePairs& pairs) {
  std::vector<int64_t> from, to;
  for (const auto& [u, v] : pairs) {
    from.push_back(u);
    to.push_back(v);
  }
  EdgeSource edges;
  edges.src = graph.node_types[static_cast<size_t>(src_type)].name;
  edges.rel = rel;
  edges.dst = graph.node_types[static_cast<size_t>(dst_type)].name;
  edges.src_type = src_type;
  edges.dst_type = dst_type;
  edges.from = MakeColumn(from, 0, "from");
  edges.to = MakeColumn(to, 0, "to");
  return edges;
}

// Returns a homogeneous graph named "memory".
inline GraphSource MakeSource(int64_t num_nodes, const EdgePairs& pairs) {
  GraphSource graph;
  graph.name = "memory";
  graph.node_types.push_back({"node", num_nodes, nullptr, nullptr, nullptr});
  graph.edge_types.push_back(MakeEdges(graph, 0, "to", 0, pairs));
  return graph;
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_TESTING_MEMORY_COLUMN_H_
