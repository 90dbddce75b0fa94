#include "common/tensor/npy.h"

#include <string_view>

#include "gtest/gtest.h"

namespace tributary {
namespace {

absl::Span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// 10 bytes of magic, version and length, then the dictionary, as numpy.save
// writes them: 128 bytes in all.
TEST(NpyHeader, IsWhatNumpyWrites) {
  const std::string header = FormatNpyHeader({'f', 4}, {3, 2});
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  const std::string dict =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  EXPECT_EQ(header.substr(10, dict.size()), dict);
  EXPECT_EQ(header.size(), 128);
  EXPECT_EQ(header.find_first_not_of(' ', 10 + dict.size()), 127);
  EXPECT_EQ(header.back(), '\n');
}

TEST(NpyHeader, OneDimensionHasAComma) {
  const std::string header = FormatNpyHeader(kNpyUint8, {7});
  EXPECT_NE(header.find("'|u1'"), std::string::npos);
  EXPECT_NE(header.find("(7,), }"), std::string::npos);
}

TEST(NpyHeader, RoundTrips) {
  for (DType dtype : {DType::kUint8, DType::kInt16, DType::kBFloat16,
                      DType::kFloat16, DType::kFloat64, DType::kBool}) {
    const std::string text = FormatNpyHeader(NpyTypeOf(dtype), {0, 5, 9});
    auto header = ParseNpyHeader(Bytes(text));
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->type, NpyTypeOf(dtype));
    EXPECT_EQ(header->shape, (std::vector<int64_t>{0, 5, 9}));
    EXPECT_EQ(header->data_offset, text.size());
    EXPECT_EQ(header->data_offset % 64, 0);
  }
}

// numpy.dtype([("value", "i1", (5,)), ("scale", "<f4")]), as numpy.save writes
// it.
TEST(NpyHeader, ScaledRowsAreRecords) {
  const NpyType five = NpyTypeOfScaledRows(5);
  EXPECT_EQ(five.size, 9);
  EXPECT_EQ(five.descr(), "[('value', '|i1', (5,)), ('scale', '<f4')]");
  const NpyType one = NpyTypeOfScaledRows(0);
  EXPECT_EQ(one.size, 5);
  EXPECT_EQ(one.descr(), "[('value', '|i1'), ('scale', '<f4')]");
  EXPECT_FALSE(one == NpyTypeOfScaledRows(1));
  for (const NpyType type : {five, one, NpyTypeOfScaledRows(1)}) {
    const std::string text = FormatNpyHeader(type, {7});
    EXPECT_NE(text.find("{'descr': [('value', '|i1'"), std::string::npos);
    const auto header = ParseNpyHeader(Bytes(text));
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->type, type);
    EXPECT_EQ(header->shape, (std::vector<int64_t>{7}));
    EXPECT_EQ(header->data_bytes(), 7 * type.size);
  }
}

TEST(NpyHeader, ReadsScalarsAndVersionTwo) {
  const std::string dict =
      "{'shape': (), 'descr': '<i8', 'fortran_order': False}\n";
  std::string text("\x93NUMPY\x02\x00", 8);
  text += {static_cast<char>(dict.size()), 0, 0, 0};
  text += dict;
  auto header = ParseNpyHeader(Bytes(text));
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->type, kNpyInt64);
  EXPECT_TRUE(header->shape.empty());
  EXPECT_EQ(header->data_bytes(), 8);
  EXPECT_EQ(header->data_offset, 12 + dict.size());
}

std::string WithDict(std::string dict) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += {static_cast<char>(dict.size()), 0};
  return text + dict;
}

TEST(NpyHeader, RefusesWhatItDoesNotUnderstand) {
  const std::string good = FormatNpyHeader(kNpyInt64, {4});
  std::string foreign_version = good;
  foreign_version[6] = 9;
  const std::string bad[] = {
      "",
      "PK\x03\x04 not numpy at all",
      good.substr(0, 40),
      foreign_version,
      WithDict("{'descr': '>i8', 'fortran_order': False, 'shape': (4,), }"),
      WithDict("{'descr': '<i8', 'fortran_order': True, 'shape': (4,), }"),
      WithDict("{'descr': '|O', 'fortran_order': False, 'shape': (4,), }"),
      WithDict("{'descr': '<i8', 'fortran_order': False, 'shape': (-4,), }"),
      WithDict("{'descr': '<i8', 'fortran_order': False, 'shape': (4"),
      WithDict("{'descr': '<i8', 'fortran_order': False}"),
      WithDict("{'descr': [('value', '|i1', (0,)), ('scale', '<f4')], "
               "'fortran_order': False, 'shape': (4,), }"),
      WithDict("{'descr': [('value', '|i1', (2147483648,)), ('scale', '<f4')], "
               "'fortran_order': False, 'shape': (4,), }"),
      WithDict("{'descr': [('value', '|u1', (5,)), ('scale', '<f4')], "
               "'fortran_order': False, 'shape': (4,), }"),
      WithDict("{'descr': [('value', '|i1', (5,)), ('scale', '<f4'), 'shape'"),
      WithDict("{'descr': '<i8', 'fortran_order': False, 'shape': "
               "(4294967296, 4294967296), }"),
  };
  for (const std::string& text : bad) {
    const auto header = ParseNpyHeader(Bytes(text));
    EXPECT_EQ(header.status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace tributary
