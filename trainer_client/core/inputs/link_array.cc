#include "trainer_client/core/inputs/link_array.h"

#include <cmath>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/inputs/npy_matrix.h"

namespace tributary {
namespace {

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

EdgeTypeLinks TakeWhole(const MatrixValues<int64_t>& matrix) {
  EdgeTypeLinks list;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    list.source.push_back(matrix.At(row, 0));
    list.destination.push_back(matrix.At(row, 1));
    if (matrix.columns() == 3) list.edge_label.push_back(matrix.At(row, 2));
  }
  return list;
}

// Floats above this may stand for other whole numbers than the user's.
constexpr double kMaxWholeFloat = 9007199254740992;  // 2^53

bool IsId(double number) {
  return std::abs(number) <= kMaxWholeFloat && std::trunc(number) == number;
}

absl::StatusOr<EdgeTypeLinks> TakeFloats(const MatrixValues<double>& matrix) {
  EdgeTypeLinks list;
  for (size_t row = 0; row < matrix.rows(); ++row) {
    const double source = matrix.At(row, 0), to = matrix.At(row, 1);
    if (!IsId(source) || !IsId(to)) {
      return Refuse("row ", row, " is (", source, ", ", to, ", ...)");
    }
    list.source.push_back(static_cast<int64_t>(source));
    list.destination.push_back(static_cast<int64_t>(to));
    const float label = static_cast<float>(matrix.At(row, 2));
    if (!std::isfinite(label)) {
      return Refuse("row ", row, " has the label ", matrix.At(row, 2));
    }
    list.edge_label_float.push_back(label);
  }
  return list;
}

absl::StatusOr<EdgeTypeLinks> Read(absl::Span<const uint8_t> file) {
  ASSIGN_OR_RETURN(const NpyMatrix matrix, FindNpyMatrix(file));
  if (matrix.columns < 2 || matrix.columns > 3) {
    return Refuse("shape (", matrix.rows, ", ", matrix.columns, ")");
  }
  // Floats are for labels; without any they may have been rounded.
  if (matrix.type.kind == 'f' && matrix.columns == 3) {
    ASSIGN_OR_RETURN(const auto floats, FloatMatrix(matrix));
    return TakeFloats(floats);
  }
  ASSIGN_OR_RETURN(const auto whole, WholeMatrix(matrix));
  return TakeWhole(whole);
}

}  // namespace

absl::Status ReadLinkArray(absl::Span<const uint8_t> file,
                           EdgeTypeLinks* links) {
  absl::StatusOr<EdgeTypeLinks> read = Read(file);
  if (!read.ok()) {
    return absl::Status(
        read.status().code(),
        absl::StrCat(read.status().message(),
                     "\nallowed: an array [links, 2] or [links, 3] of source, "
                     "destination and label: whole numbers, or floats where "
                     "labels are"));
  }
  links->source = std::move(read->source);
  links->destination = std::move(read->destination);
  links->edge_label = std::move(read->edge_label);
  links->edge_label_float = std::move(read->edge_label_float);
  return absl::OkStatus();
}

}  // namespace tributary
