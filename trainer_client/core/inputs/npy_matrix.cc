#include "trainer_client/core/inputs/npy_matrix.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/tensor/exact_values.h"
#include "common/text/status.h"

namespace tributary {
namespace {

template <typename T>
absl::StatusOr<MatrixValues<T>> Convert(const NpyMatrix& matrix,
                                        ExactConversion convert) {
  if (convert == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("elements of type ", matrix.type.descr()));
  }
  MatrixValues<T> values(matrix);
  const auto bad =
      convert(matrix.data, values.elements().size(),
              reinterpret_cast<uint8_t*>(values.elements().data()));
  if (!bad.has_value()) return values;
  return absl::InvalidArgumentError(
      absl::StrCat("element ", *bad, " of type ", matrix.type.descr()));
}

}  // namespace

bool IsNpyFile(absl::Span<const uint8_t> file) {
  return absl::StartsWith(
      absl::string_view(reinterpret_cast<const char*>(file.data()),
                        file.size()),
      "\x93NUMPY");
}

absl::StatusOr<NpyMatrix> FindNpyMatrix(absl::Span<const uint8_t> file) {
  ASSIGN_OR_RETURN(const UserNpyHeader header, ParseUserNpyHeader(file));
  const auto& shape = header.shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape (", absl::StrJoin(shape, ", "), ")"));
  }
  if (header.data_bytes() != file.size() - header.data_offset) {
    return absl::DataLossError(absl::StrCat(
        file.size() - header.data_offset, " bytes of elements, but ",
        header.data_bytes(), " by its header"));
  }
  return NpyMatrix{header.type, file.data() + header.data_offset,
                   static_cast<size_t>(shape[0]), static_cast<size_t>(shape[1]),
                   header.fortran_order};
}

absl::StatusOr<MatrixValues<int64_t>> WholeMatrix(const NpyMatrix& matrix) {
  const char kind = matrix.type.kind;
  return Convert<int64_t>(matrix,
                          kind == 'i' || kind == 'u'
                              ? WholeConversion(matrix.type, DType::kInt64)
                              : nullptr);
}

absl::StatusOr<MatrixValues<double>> FloatMatrix(const NpyMatrix& matrix) {
  return Convert<double>(matrix,
                         matrix.type.kind == 'f'
                             ? AnyExactConversion(matrix.type, DType::kFloat64)
                             : nullptr);
}

}  // namespace tributary
