#include "trainer_client/torch/inference/row_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

std::string Path(const std::string& name) {
  return absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
}

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(T)};
}

std::vector<float> FloatsOf(const RowMapping& rows) {
  std::vector<float> values(rows.rows().size() / sizeof(float));
  std::memcpy(values.data(), rows.rows().data(), rows.rows().size());
  return values;
}

TEST(RowFileTest, RowsAreWhereTheyWereWritten) {
  const RowShape shape{{'f', 4}, {4, 2}};
  ASSERT_TRUE(CreateRowFile(Path("a"), shape).ok());
  auto one = RowWriter::Open(Path("a"), shape);
  auto other = RowWriter::Open(Path("a"), shape);
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_TRUE(other.ok()) << other.status();
  // Rows 2 and 3 lie behind each other, row 0 does not.
  ASSERT_TRUE(one->Write({2, 3, 0}, BytesOf<float>({5, 6, 7, 8, 1, 2})).ok());
  ASSERT_TRUE(other->Write({1}, BytesOf<float>({3, 4})).ok());
  ASSERT_TRUE(one->Sync().ok());
  const auto read = RowMapping::Open(Path("a"), shape);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(FloatsOf(*read), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(std::filesystem::file_size(Path("a")), 128 + 4 * 2 * 4);
}

TEST(RowFileTest, AFileIsReplacedByZeros) {
  const RowShape shape{{'f', 4}, {2}};
  std::ofstream(Path("b")) << "something else, and longer than the new file";
  ASSERT_TRUE(CreateRowFile(Path("b"), shape).ok());
  const auto read = RowMapping::Open(Path("b"), shape);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(FloatsOf(*read), (std::vector<float>{0, 0}));
}

TEST(RowFileTest, NoRowsAreAHeader) {
  const RowShape shape{{'f', 4}, {0, 3}};
  ASSERT_TRUE(CreateRowFile(Path("c"), shape).ok());
  const auto read = RowMapping::Open(Path("c"), shape);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->rows().empty());
}

TEST(RowFileTest, RowsThatAFileDoesNotHaveAreRefused) {
  const RowShape shape{{'i', 8}, {3}};
  ASSERT_TRUE(CreateRowFile(Path("d"), shape).ok());
  auto writer = RowWriter::Open(Path("d"), shape);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ(writer->Write({2, 3}, BytesOf<int64_t>({1, 2})).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->Write({-1}, BytesOf<int64_t>({1})).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->Write({0}, BytesOf<int64_t>({1, 2})).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RowFileTest, AFileOfAnotherShapeIsNamed) {
  const RowShape shape{{'f', 4}, {2, 3}};
  ASSERT_TRUE(CreateRowFile(Path("e"), shape).ok());
  // As many bytes, but other rows.
  const RowShape other{{'f', 4}, {3, 2}};
  for (const absl::Status& status :
       {RowMapping::Open(Path("e"), other).status(),
        RowWriter::Open(Path("e"), other).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_NE(status.ToString().find(Path("e")), std::string::npos);
  }
  std::filesystem::resize_file(Path("e"), 130);
  EXPECT_EQ(RowMapping::Open(Path("e"), shape).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(RowMapping::Open(Path("none"), shape).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tributary
