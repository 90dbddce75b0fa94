#include "trainer_client/core/inputs/input_file.h"

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

// The seeds of an int64 mask were nodes 0 and 1 alone, without a word.
TEST(InputFileTest, WholeNumbersThatWouldRepeatAsIdsAreAMask) {
  for (const std::string& path :
       {Write<int64_t>(kNpyInt64, {4}, {1, 0, 0, 1}),
        Write<int8_t>({'i', 1}, {4, 1}, {1, 0, 0, 1})}) {
    const auto list = ReadInputListFile(path);
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_THAT(list->ids, IsEmpty());
    EXPECT_THAT(list->mask, ElementsAre(true, false, false, true));
  }
  auto ids = ReadInputListFile(Write<int64_t>(kNpyInt64, {3}, {1, 0, 2}));
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_THAT(ids->ids, ElementsAre(1, 0, 2));
  ids = ReadInputListFile(Write<int64_t>(kNpyInt64, {2}, {1, 0}));
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_THAT(ids->ids, ElementsAre(1, 0));
}

TEST(InputFileTest, TwoBytesMayBeEither) {
  const std::string path = Write<uint8_t>(kNpyUint8, {2}, {1, 0});
  const absl::Status status = ReadInputListFile(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("may be ids or a mask"));
  EXPECT_THAT(status.message(), HasSubstr("a.astype(bool)"));
  EXPECT_THAT(status.message(), HasSubstr("--input-nodes 1,0"));
  EXPECT_TRUE(ReadInputListFile(Write<uint8_t>(kNpyUint8, {0}, {})).ok());
}

TEST(InputFileTest, TimesMayBeWholeFloatsAndDates) {
  EXPECT_THAT(*ReadTimeFile(Write<double>({'f', 8}, {2}, {-7, 1e9})),
              ElementsAre(-7, 1000000000));
  // numpy.array(["1970-01-02", "1969-12-31"], "M8[D]")
  std::string path = Write<int64_t>(kNpyInt64, {2}, {1, -1});
  std::string text;
  {
    std::ifstream in(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  text.replace(text.find("'<i8'"), 5, "'<M8[D]'").erase(text.find("  "), 3);
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_THAT(*ReadTimeFile(path), ElementsAre(1, -1));
  EXPECT_THAT(Refusal(path), HasSubstr("<M8"));  // no ids
  const auto half = ReadTimeFile(Write<float>({'f', 4}, {2}, {1, 1.5}));
  EXPECT_THAT(std::string(half.status().message()), HasSubstr("element 1"));
}

TEST(InputFileTest, WeightsAreNumbers) {
  EXPECT_THAT(*ReadWeightFile(Write<float>({'f', 4}, {2}, {0.5f, -1.0f})),
              ElementsAre(0.5, -1));  // the loader refuses what is negative
  EXPECT_THAT(*ReadWeightFile(Write<double>({'f', 8}, {1}, {1e300})),
              ElementsAre(1e300));
  EXPECT_THAT(*ReadWeightFile(Write<int64_t>(kNpyInt64, {2}, {1, 1 << 30})),
              ElementsAre(1, 1 << 30));
  EXPECT_THAT(*ReadWeightFile(Write<uint16_t>({'f', 2}, {2}, {0x3800, 1})),
              ElementsAre(0.5, 0x1p-24));
  const auto rounded = ReadWeightFile(
      Write<int64_t>(kNpyInt64, {2}, {1, (int64_t{1} << 53) + 1}));
  EXPECT_THAT(std::string(rounded.status().message()),
              HasSubstr("element 1 of type <i8"));
}

TEST(InputFileTest, Refused) {
  EXPECT_THAT(Refusal(Write<float>({'f', 4}, {1}, {1})), HasSubstr("<f4"));
  EXPECT_THAT(Refusal(Write<int64_t>(kNpyInt64, {1, 2}, {1, 2})),
              HasSubstr("shape (1, 2)"));
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
