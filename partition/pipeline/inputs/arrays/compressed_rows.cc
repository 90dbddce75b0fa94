#include "partition/pipeline/inputs/arrays/compressed_rows.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"

namespace tributary {
namespace {

constexpr int64_t kBlock = 65536;

class ExpandedRows final : public Column {
 public:
  ExpandedRows(ColumnPtr indptr, int64_t num_edges)
      : Column({DType::kInt64, 0}, num_edges), indptr_(std::move(indptr)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    if (count == 0) return absl::OkStatus();
    auto* to = reinterpret_cast<int64_t*>(out);
    const int64_t end = begin + count;
    ASSIGN_OR_RETURN(int64_t node, NodeAt(begin));
    const int64_t num_nodes = indptr_->num_rows() - 1;
    while (begin < end && node < num_nodes) {
      const int64_t nodes = std::min(kBlock, num_nodes - node);
      ASSIGN_OR_RETURN(const auto ends,
                       ReadValues<int64_t>(*indptr_, node + 1, nodes));
      for (int64_t i = 0; i < nodes && begin < end; ++i, ++node) {
        for (const int64_t stop = std::min(ends[i], end); begin < stop;) {
          *to++ = node;
          ++begin;
        }
      }
    }
    if (begin == end) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        indptr_->Where(num_nodes), " has changed since it was checked"));
  }

  std::string Where(int64_t row) const override {
    const auto node = NodeAt(row);
    return indptr_->Where(node.ok() ? *node : 0);
  }

 private:
  // Returns the node whose edges `position` is among.
  absl::StatusOr<int64_t> NodeAt(int64_t position) const {
    int64_t low = 0, high = indptr_->num_rows() - 1;  // low's row begins before
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      ASSIGN_OR_RETURN(const auto at, ReadValues<int64_t>(*indptr_, middle, 1));
      (at[0] <= position ? low : high) = middle;
    }
    return low;
  }

  const ColumnPtr indptr_;
};

}  // namespace

absl::StatusOr<ColumnPtr> ExpandRows(ColumnPtr indptr, int64_t num_edges) {
  if (indptr->num_rows() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        indptr->Where(0), " is not there; indptr has a row more than nodes"));
  }
  int64_t before = 0;
  for (int64_t at = 0; at < indptr->num_rows(); at += kBlock) {
    const int64_t count = std::min(kBlock, indptr->num_rows() - at);
    ASSIGN_OR_RETURN(const auto values,
                     ReadValues<int64_t>(*indptr, at, count));
    for (int64_t i = 0; i < count; ++i) {
      const bool first = at + i == 0, last = at + i + 1 == indptr->num_rows();
      if (values[i] < before || (first && values[i] != 0) ||
          (last && values[i] != num_edges)) {
        return absl::InvalidArgumentError(absl::StrCat(
            indptr->Where(at + i), ": ", values[i], " in indptr after ", before,
            "; allowed: 0 first, never less than before, and last the ",
            num_edges, " edges"));
      }
      before = values[i];
    }
  }
  return std::make_shared<ExpandedRows>(std::move(indptr), num_edges);
}

}  // namespace tributary
