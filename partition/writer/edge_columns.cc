#include "partition/writer/edge_columns.h"

#include <algorithm>
#include <array>

namespace tributary {
namespace {

constexpr size_t kRowsAtOnce = 256;

// Appends the values of rows row_of(begin) to row_of(end - 1) of a column whose
// elements have type Stored, converted to T.
template <typename Stored, typename T, typename RowOf>
void ReadColumn(const RowSource& column, uint64_t begin, uint64_t end,
                RowOf row_of, std::vector<T>& out) {
  std::array<int64_t, kRowsAtOnce> rows;
  std::array<Stored, kRowsAtOnce> values;
  out.clear();
  out.reserve(end - begin);
  while (begin < end) {
    const size_t count = std::min<uint64_t>(end - begin, kRowsAtOnce);
    for (size_t i = 0; i < count; ++i) rows[i] = row_of(begin + i);
    column.CopyRows({rows.data(), count},
                    reinterpret_cast<uint8_t*>(values.data()));
    out.insert(out.end(), values.begin(), values.begin() + count);
    begin += count;
  }
}

}  // namespace

void ReadWeights(const EdgeContent& edges, uint64_t begin, uint64_t end,
                 std::vector<double>& out) {
  const auto row_of = [&](uint64_t i) { return edges.AttrRow(i); };
  if (edges.weight->schema().dtype == DType::kFloat32) {
    ReadColumn<float>(*edges.weight, begin, end, row_of, out);
  } else {
    ReadColumn<double>(*edges.weight, begin, end, row_of, out);
  }
}

void ReadTimes(const EdgeContent& edges, uint64_t begin, uint64_t end,
               std::vector<int64_t>& out) {
  ReadColumn<int64_t>(
      *edges.time, begin, end, [&](uint64_t i) { return edges.AttrRow(i); },
      out);
}

void ReadNeighborTimes(const EdgeContent& edges, const RowSource& node_time,
                       uint64_t begin, uint64_t end,
                       std::vector<int64_t>& out) {
  ReadColumn<int64_t>(
      node_time, begin, end,
      [&](uint64_t i) { return edges.in_edges.edge(i).neighbor; }, out);
}

}  // namespace tributary
