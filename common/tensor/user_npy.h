// Reads headers of .npy files that users' programs have written.
#ifndef TRIBUTARY_COMMON_TENSOR_USER_NPY_H_
#define TRIBUTARY_COMMON_TENSOR_USER_NPY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/tensor/npy.h"

namespace tributary {

// A header that may also say what our own files never do:
// - Elements of datetime64 and timedelta64 have the kind 'M' or 'm', size 8 and
//   their unit packed in NpyType::dim, so that equal types have equal units.
// - In Fortran order the first index of the shape varies fastest.
struct UserNpyHeader : NpyHeader {
  bool fortran_order = false;
};

// Parses the header at the start of `bytes`. INVALID_ARGUMENT, with the call of
// NumPy that helps, for elements that no graph has, such as objects, texts and
// big-endian numbers; DATA_LOSS for what is no .npy header.
absl::StatusOr<UserNpyHeader> ParseUserNpyHeader(
    absl::Span<const uint8_t> bytes);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_USER_NPY_H_
