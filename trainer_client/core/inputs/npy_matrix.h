// Reads matrices of numbers in .npy files that users' programs have written.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_NPY_MATRIX_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_NPY_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/tensor/user_npy.h"

namespace tributary {

// Returns whether the bytes are those of a .npy file.
bool IsNpyFile(absl::Span<const uint8_t> file);

// The elements of a .npy file of the shape [rows, columns], neither of them 0.
// Views the file's bytes.
struct NpyMatrix {
  NpyType type;
  const uint8_t* data = nullptr;
  size_t rows = 0;
  size_t columns = 0;
  bool fortran_order = false;
};

// Finds the elements in the bytes of a whole file. INVALID_ARGUMENT for another
// shape; DATA_LOSS if it is no .npy file or is truncated.
absl::StatusOr<NpyMatrix> FindNpyMatrix(absl::Span<const uint8_t> file);

// The elements as T, in the order of the file.
template <typename T>
class MatrixValues {
 public:
  explicit MatrixValues(const NpyMatrix& matrix)
      : rows_(matrix.rows),
        columns_(matrix.columns),
        fortran_order_(matrix.fortran_order),
        values_(matrix.rows * matrix.columns) {}

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  T At(size_t row, size_t column) const {
    return values_[fortran_order_ ? column * rows_ + row
                                  : row * columns_ + column];
  }
  absl::Span<T> elements() { return absl::MakeSpan(values_); }

 private:
  size_t rows_, columns_;
  bool fortran_order_;
  std::vector<T> values_;
};

// Return the values. INVALID_ARGUMENT, with the element, for a type or a value
// that is none: WholeMatrix takes whole numbers of any type, FloatMatrix floats
// of 16 to 64 bits.
absl::StatusOr<MatrixValues<int64_t>> WholeMatrix(const NpyMatrix& matrix);
absl::StatusOr<MatrixValues<double>> FloatMatrix(const NpyMatrix& matrix);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_NPY_MATRIX_H_
