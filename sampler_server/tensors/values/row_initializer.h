// Computes the values of rows that were never written.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_ROW_INITIALIZER_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_ROW_INITIALIZER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/random/philox.h"
#include "common/tensor/dtype.h"

namespace tributary {

enum class InitialKind { kZeros, kOnes, kUniform, kNormal, kXavierUniform };

// The kind of initial values and their parameters; a value.
struct InitialValueOptions {
  InitialKind kind = InitialKind::kZeros;
  double low = 0;   // uniform: lower end; normal: mean; xavier: gain
  double high = 0;  // uniform: upper end; normal: standard deviation
  uint64_t random_seed = 0;
};

// The initial values of one tensor: a pure function of (random seed, name, row,
// column), so the same on any number of servers, and computed when a row is
// first needed. Uses + - * / and sqrt alone, so its bits depend on no CPU and
// no libm.
//
// Column c of row r takes the 64-bit word w, words 2 * (c % 2) and the next
// one, low first, of Philox4x32-10 with the counter (c / 2, r mod 2^32, r /
// 2^32, 0) and the key MakePurposeKey("tensor," + name, random seed). With
// u = min((floor(w / 2^11) + 1/2) / 2^53, 1 - 2^-53), the value is, in double,
//
//   uniform          low + (high - low) * u
//   normal           mean + deviation * NormalQuantile(u)
//   xavier_uniform   (2 * u - 1) * gain * sqrt(6 / (num_rows + dim)): Glorot
//                    and Bengio 2010, as torch.nn.init.xavier_uniform_
//
// and then rounded to the tensor's dtype; for float16 and bfloat16 by way of
// float32. Immutable; thread-safe.
class RowInitializer {
 public:
  // Values of a tensor [num_rows, dim]; `dim` 0 is one value per row.
  // INVALID_ARGUMENT for a random kind with an integer or bool dtype, for
  // xavier_uniform with `dim` 0, and for parameters that are not finite or in
  // the wrong order.
  static absl::StatusOr<RowInitializer> Create(
      const InitialValueOptions& options, const std::string& name,
      uint64_t num_rows, uint32_t dim, DType dtype);

  // Whether all bytes of every row are 0.
  bool all_zeros() const { return kind_ == InitialKind::kZeros; }
  // Whether all rows of all tensors of this kind are equal.
  bool constant() const { return all_zeros() || kind_ == InitialKind::kOnes; }
  InitialKind kind() const { return kind_; }

  // Writes the values of a row to `out`, one after the other, aligned or not.
  void Fill(uint64_t row, uint8_t* out) const { Fill(row, 0, width_, out); }
  // Writes those of columns `begin` to `end` to their places in `out`, which is
  // where the row begins.
  void Fill(uint64_t row, size_t begin, size_t end, uint8_t* out) const;
  size_t width() const { return width_; }
  // Returns the work of computing one value (WorkSlice).
  uint64_t work_per_value() const;

 private:
  RowInitializer() = default;
  double ValueOf(uint64_t word) const;

  InitialKind kind_ = InitialKind::kZeros;
  DType dtype_ = DType::kFloat32;
  size_t width_ = 1;
  double offset_ = 0;  // value = offset + factor * (u or quantile)
  double factor_ = 0;
  PhiloxKey key_{};
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_ROW_INITIALIZER_H_
