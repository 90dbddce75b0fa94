#include "partition/pipeline/inputs/arrays/value_columns.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/tensor/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/pipeline/inputs/arrays/array_file.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ids = std::vector<int64_t>;

// Returns the column of an array of these elements. `order`: as NumPy writes
// fortran_order.
template <typename T>
ColumnPtr ArrayOf(NpyType type, const Ids& shape, const std::vector<T>& values,
                  const std::string& order = "False") {
  const std::string path = testing::TempDir() + "/a.npy";
  std::string header = FormatNpyHeader(type, shape);
  if (order == "True") header.replace(header.find("False"), 5, "True ");
  std::ofstream out(path, std::ios::binary);
  out << header;
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  out.close();
  auto column = OpenArrays({path});
  EXPECT_TRUE(column.ok()) << column.status();
  return column.ok() ? *column : nullptr;
}

template <typename T>
std::vector<T> All(const Column& column) {
  std::vector<T> values(static_cast<size_t>(column.num_rows()) *
                        column.schema().width());
  const absl::Status read = column.Read(
      0, column.num_rows(), reinterpret_cast<uint8_t*>(values.data()));
  EXPECT_TRUE(read.ok()) << read;
  return values;
}

TEST(ValueColumnsTest, OneColumnHasTheShapeOfItsUse) {
  for (const Ids& shape : {Ids{3}, Ids{3, 1}}) {
    const ColumnPtr one = ArrayOf<float>({'f', 4}, shape, {1, 2, 3});
    EXPECT_EQ(AsFeatures(one)->schema(), (ColumnSchema{DType::kFloat32, 1}));
    EXPECT_EQ(AsLabels(one)->schema(), (ColumnSchema{DType::kFloat32, 0}));
  }
  const ColumnPtr two = ArrayOf<int32_t>({'i', 4}, {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(AsFeatures(two), two);
  EXPECT_EQ(AsLabels(two), two);
}

TEST(ValueColumnsTest, TimesMayBeWholeFloats) {
  const auto times = AsTimes(ArrayOf<double>({'f', 8}, {3}, {1, -2, 1.5}), "t");
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ((*times)->schema(), (ColumnSchema{DType::kInt64, 0}));
  EXPECT_THAT(*ReadValues<int64_t>(**times, 0, 2), ElementsAre(1, -2));
  EXPECT_THAT(
      ReadValues<int64_t>(**times, 0, 3).status().message(),
      HasSubstr("a.npy, row 2: a value that int64 cannot hold; allowed: "
                "whole numbers"));
  EXPECT_EQ(AsTimes(ArrayOf<double>({'f', 8}, {1, 2}, {1, 2}), "t.npy")
                .status()
                .message(),
            "t.npy is float64 of width 2; allowed: one whole number a row");
}

TEST(ValueColumnsTest, WeightsMayBeAnyNumbers) {
  const auto halves =
      AsWeights(ArrayOf<uint16_t>({'f', 2}, {2, 1}, {0x3800, 0x3c00}), "w");
  ASSERT_TRUE(halves.ok()) << halves.status();
  EXPECT_EQ((*halves)->schema(), (ColumnSchema{DType::kFloat32, 0}));
  EXPECT_THAT(All<float>(**halves), ElementsAre(0.5, 1));
  const auto small = AsWeights(ArrayOf<uint8_t>({'u', 1}, {2}, {7, 255}), "w");
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_THAT(All<float>(**small), ElementsAre(7, 255));
  const auto counts = AsWeights(
      ArrayOf<int64_t>({'i', 8}, {2}, {3, (int64_t{1} << 53) + 1}), "w");
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ((*counts)->schema(), (ColumnSchema{DType::kFloat64, 0}));
  EXPECT_THAT(*ReadValues<double>(**counts, 0, 1), ElementsAre(3));
  EXPECT_THAT(ReadValues<double>(**counts, 0, 2).status().message(),
              HasSubstr("row 1: a value that float64 cannot hold"));
}

TEST(ValueColumnsTest, MasksAreZeroAndOneOfAnyType) {
  const ColumnPtr columns[] = {ArrayOf<int64_t>({'i', 8}, {3}, {1, 0, 1})};
  const auto mask = AsMask(columns[0], "m");
  ASSERT_TRUE(mask.ok()) << mask.status();
  EXPECT_THAT(All<uint8_t>(**mask), ElementsAre(1, 0, 1));
  const auto floats = AsMask(ArrayOf<float>({'f', 4}, {2, 1}, {1, 0.5}), "m");
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_THAT(ReadValues<uint8_t>(**floats, 0, 2).status().message(),
              HasSubstr("row 1: a value that bool cannot hold; allowed: 0 and "
                        "1"));
  EXPECT_THAT(AsMask(ArrayOf<uint8_t>({'b', 1}, {1, 2}, {1, 0}), "m")
                  .status()
                  .message(),
              HasSubstr("give one column of it"));
}

// numpy.save writes the transpose of rows so: the values of a column, then
// those of the next.
TEST(ValueColumnsTest, FortranOrderIsRead) {
  const ColumnPtr x =
      ArrayOf<int16_t>({'i', 2}, {3, 2}, {1, 2, 3, 10, 20, 30}, "True");
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(x->schema(), (ColumnSchema{DType::kInt16, 2}));
  EXPECT_THAT(All<int16_t>(*x), ElementsAre(1, 10, 2, 20, 3, 30));
  int16_t last[2];
  ASSERT_TRUE(x->Read(2, 1, reinterpret_cast<uint8_t*>(last)).ok());
  EXPECT_THAT(last, ElementsAre(3, 30));
  // Ends of edges [2, E] and [E, 2].
  for (const Ids& shape : {Ids{2, 3}, Ids{3, 2}}) {
    const Ids values =
        shape[0] == 2 ? Ids{1, 10, 2, 20, 3, 30} : Ids{1, 2, 3, 10, 20, 30};
    ArrayOf<int64_t>({'i', 8}, shape, values, "True");
    const auto ends = OpenPairs({testing::TempDir() + "/a.npy"});
    ASSERT_TRUE(ends.ok()) << ends.status();
    EXPECT_THAT(All<int64_t>(*ends->from), ElementsAre(1, 2, 3));
    EXPECT_THAT(All<int64_t>(*ends->to), ElementsAre(10, 20, 30));
  }
}

// On both sides of the 4 MiB that are gathered at once: rows of 2 x 8 bytes.
TEST(ValueColumnsTest, FortranOrderOfManyRows) {
  constexpr int64_t kRows = (int64_t{4} << 20) / 16 + 1;
  Ids values(2 * kRows);
  for (int64_t i = 0; i < kRows; ++i) {
    values[i] = i;
    values[kRows + i] = -i;
  }
  const ColumnPtr x = ArrayOf({'i', 8}, {kRows, 2}, values, "True");
  ASSERT_NE(x, nullptr);
  const Ids rows = All<int64_t>(*x);
  for (int64_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(rows[2 * i], i);
    ASSERT_EQ(rows[2 * i + 1], -i);
  }
}

enum class Is { kMask, kList, kMaybe, kWrong };

Is WhatIs(int64_t num_rows, const Ids& numbers, ListUse use) {
  const auto mask = AreMaskOf(num_rows, numbers, use, "a.npy");
  if (mask.ok()) return *mask ? Is::kMask : Is::kList;
  EXPECT_EQ(mask.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(mask.status().message(), HasSubstr("a.astype(bool)"));
  const bool either =
      absl::StrContains(mask.status().message(), "a mask, or a list");
  return either ? Is::kMaybe : Is::kWrong;
}

TEST(ValueColumnsTest, WhatDecidesWhetherNumbersAreAMask) {
  const Ids mask = {1, 0, 1, 0}, list = {3, 1}, both = {0, 1};
  EXPECT_EQ(WhatIs(4, mask, ListUse::kEither), Is::kMask);
  EXPECT_EQ(WhatIs(4, mask, ListUse::kMaskByName), Is::kMask);
  EXPECT_EQ(WhatIs(4, mask, ListUse::kListByName), Is::kWrong);
  // A mask of other nodes.
  EXPECT_EQ(WhatIs(5, mask, ListUse::kEither), Is::kWrong);
  EXPECT_EQ(WhatIs(5, mask, ListUse::kMaskByName), Is::kWrong);
  EXPECT_EQ(WhatIs(4, list, ListUse::kEither), Is::kList);
  EXPECT_EQ(WhatIs(4, list, ListUse::kMaskByName), Is::kList);
  EXPECT_EQ(WhatIs(4, list, ListUse::kListByName), Is::kList);
  EXPECT_EQ(WhatIs(2, list, ListUse::kMaskByName), Is::kWrong);
  // Of two nodes both are thinkable; of four only a list.
  EXPECT_EQ(WhatIs(2, both, ListUse::kEither), Is::kMaybe);
  EXPECT_EQ(WhatIs(2, both, ListUse::kMaskByName), Is::kMask);
  EXPECT_EQ(WhatIs(2, both, ListUse::kListByName), Is::kList);
  EXPECT_EQ(WhatIs(4, both, ListUse::kEither), Is::kList);
  EXPECT_EQ(WhatIs(4, {}, ListUse::kEither), Is::kList);
}

}  // namespace
}  // namespace tributary
