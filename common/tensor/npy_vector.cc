#include "common/tensor/npy_vector.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/tensor/exact_values.h"
#include "common/tensor/user_npy.h"
#include "common/text/status.h"

namespace tributary {
namespace {

template <typename T>
absl::StatusOr<std::vector<T>> ValuesOf(const NpyVector& vector,
                                        ExactConversion convert,
                                        absl::string_view allowed) {
  if (convert == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "elements of type ", vector.type.descr(), "\nallowed: ", allowed));
  }
  std::vector<T> values(vector.size);
  const auto bad = convert(vector.data, vector.size,
                           reinterpret_cast<uint8_t*>(values.data()));
  if (!bad.has_value()) return values;
  return absl::InvalidArgumentError(
      absl::StrCat("element ", *bad, " of type ", vector.type.descr(),
                   " is none\nallowed: ", allowed));
}

}  // namespace

absl::StatusOr<NpyVector> FindNpyVector(absl::Span<const uint8_t> file) {
  ASSIGN_OR_RETURN(const UserNpyHeader header, ParseUserNpyHeader(file));
  const auto& shape = header.shape;
  if (shape.size() != 1 && (shape.size() != 2 || shape[1] != 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape (", absl::StrJoin(shape, ", "),
                     ")\nallowed: one dimension, as a.reshape(-1) makes it"));
  }
  if (header.data_bytes() != file.size() - header.data_offset) {
    return absl::DataLossError(absl::StrCat(
        file.size() - header.data_offset, " bytes of elements, but ",
        header.data_bytes(), " by its header"));
  }
  return NpyVector{header.type, file.data() + header.data_offset,
                   static_cast<size_t>(shape[0])};
}

absl::StatusOr<std::vector<int64_t>> IdsOf(const NpyVector& vector) {
  // Floats may have been rounded before they were whole, and dates are no ids.
  const char kind = vector.type.kind;
  return ValuesOf<int64_t>(
      vector,
      kind == 'i' || kind == 'u' ? WholeConversion(vector.type, DType::kInt64)
                                 : nullptr,
      "whole numbers up to 9223372036854775807, as a.astype(np.int64) makes "
      "them");
}

absl::StatusOr<std::vector<int64_t>> TimesOf(const NpyVector& vector) {
  return ValuesOf<int64_t>(vector,
                           AnyExactConversion(vector.type, DType::kInt64),
                           "times: whole numbers of int64 (floats that are "
                           "whole, too), datetime64");
}

absl::StatusOr<std::vector<double>> WeightsOf(const NpyVector& vector) {
  return ValuesOf<double>(
      vector, AnyExactConversion(vector.type, DType::kFloat64),
      "weights: numbers that float64 holds exactly, as a.astype(np.float64) "
      "makes them");
}

bool AreMask(absl::Span<const int64_t> numbers) {
  return numbers.size() > 2 && absl::c_all_of(numbers, [](int64_t number) {
           return number == 0 || number == 1;
         });
}

}  // namespace tributary
