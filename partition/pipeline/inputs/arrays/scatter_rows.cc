#include "partition/pipeline/inputs/arrays/scatter_rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"

namespace tributary {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;

class Scatter {
 public:
  Scatter(const Column& values, const Column& positions,
          const std::string& what)
      : values_(values),
        positions_(positions),
        what_(what),
        row_bytes_(values.schema().row_bytes()),
        block_(static_cast<int64_t>(std::max<size_t>(
            1, kBlockBytes / std::max(row_bytes_, sizeof(int64_t))))) {}

  // Fills rows_ with the result's rows [begin, end).
  absl::Status Fill(int64_t begin, int64_t end) {
    const auto count = static_cast<size_t>(end - begin);
    rows_.resize(count * row_bytes_);
    filled_.assign(count, false);
    std::vector<uint8_t> block;
    for (int64_t at = 0; at < positions_.num_rows(); at += block_) {
      const int64_t n = std::min(block_, positions_.num_rows() - at);
      ASSIGN_OR_RETURN(const auto numbers,
                       ReadValues<int64_t>(positions_, at, n));
      block.clear();
      for (int64_t i = 0; i < n; ++i) {
        if (numbers[i] < 0 || numbers[i] >= positions_.num_rows()) {
          return Error(at + i, absl::StrCat(numbers[i], " is no ", what_,
                                            "; allowed: 0 to ",
                                            positions_.num_rows() - 1));
        }
        if (numbers[i] < begin || numbers[i] >= end) continue;
        if (block.empty()) {
          block.resize(static_cast<size_t>(n) * row_bytes_);
          RETURN_IF_ERROR(values_.Read(at, n, block.data()));
        }
        const auto to = static_cast<size_t>(numbers[i] - begin);
        if (filled_[to]) {
          return Error(at + i, absl::StrCat(what_, " ", numbers[i],
                                            " is there a second time; "
                                            "allowed: each once"));
        }
        filled_[to] = true;
        std::memcpy(rows_.data() + to * row_bytes_,
                    block.data() + static_cast<size_t>(i) * row_bytes_,
                    row_bytes_);
      }
    }
    return absl::OkStatus();
  }
  const std::vector<uint8_t>& rows() const { return rows_; }

 private:
  absl::Status Error(int64_t row, const std::string& problem) const {
    return absl::InvalidArgumentError(
        absl::StrCat(positions_.Where(row), ": ", problem));
  }

  const Column& values_;
  const Column& positions_;
  const std::string& what_;
  const size_t row_bytes_;
  const int64_t block_;  // rows that are read at a time
  std::vector<uint8_t> rows_;
  std::vector<bool> filled_;
};

}  // namespace

absl::StatusOr<ColumnPtr> ScatterRows(const Column& values,
                                      const Column& positions,
                                      const std::string& what, size_t memory,
                                      const Spool& spool,
                                      const std::string& name) {
  ASSIGN_OR_RETURN(ColumnPtr found, spool.Find(name));
  if (found != nullptr) return found;
  if (values.num_rows() != positions.num_rows()) {
    return absl::InvalidArgumentError(absl::StrCat(
        positions.Where(0), ": ", positions.num_rows(), " numbers of ", what,
        "s, but ", values.num_rows(), " rows of values"));
  }
  ASSIGN_OR_RETURN(SpoolWriter writer, spool.Create(name, values.schema()));
  Scatter scatter(values, positions, what);
  const auto slice = static_cast<int64_t>(std::max<size_t>(
      1, memory / std::max<size_t>(1, values.schema().row_bytes())));
  for (int64_t begin = 0; begin < positions.num_rows(); begin += slice) {
    // As many numbers as rows, in range and none twice, leave none missing.
    RETURN_IF_ERROR(
        scatter.Fill(begin, std::min(begin + slice, positions.num_rows())));
    RETURN_IF_ERROR(writer.Append(scatter.rows()));
  }
  return writer.Finish();
}

}  // namespace tributary
