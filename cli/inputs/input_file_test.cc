#include "cli/inputs/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/tensor/npy.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
std::string Write(NpyType type, const std::vector<int64_t>& shape,
                  const std::vector<T>& values) {
  std::string path = ::testing::TempDir() + "/ids.npy";
  std::ofstream file(path, std::ios::binary);
  file << FormatNpyHeader(type, shape);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  return path;
}

std::string Refusal(const std::string& path) {
  const auto ids = ReadInputFile(path);
  if (ids.ok()) return "accepted";
  EXPECT_THAT(std::string(ids.status().message()), HasSubstr(path));
  return std::string(ids.status().message());
}

TEST(InputFileTest, WholeNumbersOfAnyWidth) {
  EXPECT_THAT(*ReadInputFile(Write<int64_t>(kNpyInt64, {3}, {5, 0, 5})),
              ElementsAre(5, 0, 5));
  EXPECT_THAT(*ReadInputFile(Write<uint8_t>(kNpyUint8, {2}, {255, 1})),
              ElementsAre(255, 1));
  EXPECT_THAT(*ReadInputFile(Write<int16_t>({'i', 2}, {1}, {-2})),
              ElementsAre(-2));  // the loader says which ids there are
  EXPECT_THAT(*ReadInputFile(Write<uint32_t>(kNpyUint32, {1}, {4000000000})),
              ElementsAre(4000000000));
  EXPECT_THAT(*ReadInputFile(Write<int64_t>(kNpyInt64, {0}, {})), IsEmpty());
}

TEST(InputFileTest, AListIsIdsOrAMask) {
  auto list = ReadInputListFile(Write<int64_t>(kNpyInt64, {2}, {5, 0}));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->ids, ElementsAre(5, 0));
  EXPECT_THAT(list->mask, IsEmpty());
  list = ReadInputListFile(Write<uint8_t>({'b', 1}, {3}, {1, 0, 1}));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->ids, IsEmpty());
  EXPECT_THAT(list->mask, ElementsAre(true, false, true));
  EXPECT_THAT(Refusal(Write<uint8_t>({'b', 1}, {1}, {1})), HasSubstr("|b1"));
}

TEST(InputFileTest, WeightsAreFloats) {
  EXPECT_THAT(*ReadWeightFile(Write<float>({'f', 4}, {2}, {0.5f, -1.0f})),
              ElementsAre(0.5, -1));  // the loader refuses what is negative
  EXPECT_THAT(*ReadWeightFile(Write<double>({'f', 8}, {1}, {1e300})),
              ElementsAre(1e300));
  const auto whole = ReadWeightFile(Write<int64_t>(kNpyInt64, {1}, {1}));
  EXPECT_THAT(std::string(whole.status().message()),
              HasSubstr("<i8\nallowed: weights (<f4 or <f8)"));
}

TEST(InputFileTest, Refused) {
  EXPECT_THAT(Refusal(Write<float>({'f', 4}, {1}, {1})), HasSubstr("<f4"));
  EXPECT_THAT(Refusal(Write<int64_t>(kNpyInt64, {1, 1}, {1})),
              HasSubstr("shape (1, 1)"));
  EXPECT_THAT(Refusal(Write<int64_t>(kNpyInt64, {}, {1})),
              HasSubstr("one dimension"));
  EXPECT_THAT(Refusal(Write<int64_t>(kNpyInt64, {2}, {1})),
              HasSubstr("8 bytes of elements, but 16"));
  EXPECT_THAT(Refusal(Write<uint64_t>(kNpyUint64, {1}, {UINT64_MAX})),
              HasSubstr("element 0"));
  const std::string path = ::testing::TempDir() + "/ids.npy";
  std::ofstream(path) << "5\n6\n";
  EXPECT_THAT(Refusal(path), HasSubstr("ids.npy"));
  EXPECT_EQ(ReadInputFile(::testing::TempDir() + "/absent.npy").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
