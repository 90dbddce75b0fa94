#include "common/tensor/narrow_numbers.h"

#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

// Below a step, several, and what is left of one; at places of no alignment.
TEST(NarrowNumbers, ComeBack) {
  for (const size_t n : {0, 1, 15, 16, 17, 100, 5000}) {
    std::vector<uint64_t> numbers(n);
    for (size_t i = 0; i < n; ++i) numbers[i] = UINT32_MAX - i * 7919;
    EXPECT_TRUE(FitNarrow(numbers));
    std::vector<uint8_t> bytes(3 + 4 * n + 1, 0xEE);
    EXPECT_EQ(WriteNarrow(numbers, bytes.data() + 3), &bytes[3 + 4 * n]);
    EXPECT_EQ(bytes.back(), 0xEE);
    EXPECT_EQ(bytes[2], 0xEE);
    std::vector<uint64_t> back(n, 5);
    EXPECT_EQ(ReadNarrow(bytes.data() + 3, absl::MakeSpan(back)),
              &bytes[3 + 4 * n]);
    EXPECT_EQ(back, numbers);
  }
}

TEST(NarrowNumbers, AreLittleEndian) {
  std::vector<uint8_t> bytes(4);
  WriteNarrow({0x01020304}, bytes.data());
  EXPECT_EQ(bytes, (std::vector<uint8_t>{4, 3, 2, 1}));
}

// One number that does not fit, wherever it is.
TEST(NarrowNumbers, AllFitOrNoneIsNarrow) {
  for (const uint64_t large : {uint64_t{1} << 32, UINT64_MAX}) {
    for (const size_t n : {1, 17, 5000}) {
      for (const size_t at : {size_t{0}, n / 2, n - 1}) {
        std::vector<uint64_t> numbers(n, UINT32_MAX);
        EXPECT_TRUE(FitNarrow(numbers));
        numbers[at] = large;
        EXPECT_FALSE(FitNarrow(numbers)) << n << " " << at;
      }
    }
  }
}

}  // namespace
}  // namespace tributary
