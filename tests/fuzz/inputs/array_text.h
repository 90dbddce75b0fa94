// Arrays of NumPy, written by hand in the inputs of fuzzers.
#ifndef TRIBUTARY_TESTS_FUZZ_INPUTS_ARRAY_TEXT_H_
#define TRIBUTARY_TESTS_FUZZ_INPUTS_ARRAY_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/tensor/npy.h"

namespace tributary {

struct ArrayOfText {
  NpyType type;
  std::vector<int64_t> shape;
  std::string bytes;  // of the elements
};

// Parses a line "TYPE SHAPE" or "TYPE SHAPE COUNT", and numbers after it:
//
//   i8 2,3
//   0 1 2  1 2 0
//
// TYPE is NumPy's kind (u, i, f, b, V) and size. Elements without a number are
// 0. COUNT, if it is less than the shape says, is the number of elements that
// `bytes` has, as in a file that was cut. Returns null for any other text, and
// for more than 4096 elements.
std::optional<ArrayOfText> ParseArrayText(absl::string_view text);

// Returns the bytes of the .npy file of an array that ParseArrayText parses, or
// else the text as it is.
std::string NpyOfText(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_INPUTS_ARRAY_TEXT_H_
