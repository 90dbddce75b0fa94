#include "partition/source/file_column.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "common/tensor/npy.h"
#include "partition/source/spool.h"

namespace tributary {
namespace {

template <typename T>
std::string WriteNpy(const std::string& name, NpyType type,
                     std::vector<int64_t> shape, const std::vector<T>& values) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream out(path, std::ios::binary);
  out << FormatNpyHeader(type, shape);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  return path;
}

template <typename T>
std::vector<T> ReadAll(const Column& column, int64_t begin, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count) * column.schema().width());
  const auto status =
      column.Read(begin, count, reinterpret_cast<uint8_t*>(values.data()));
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

TEST(FileColumnTest, ReadsAcrossFiles) {
  const auto a = WriteNpy<float>("a.npy", {'f', 4}, {2, 2}, {1, 2, 3, 4});
  const auto b = WriteNpy<float>("b.npy", {'f', 4}, {0, 2}, {});
  const auto c = WriteNpy<float>("c.npy", {'f', 4}, {1, 2}, {5, 6});
  const auto column = OpenNpyColumn({a, b, c});
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_EQ((*column)->schema(), (ColumnSchema{DType::kFloat32, 2}));
  EXPECT_EQ(ReadAll<float>(**column, 1, 2), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ((*column)->Where(2), c + ", row 0");
}

TEST(FileColumnTest, ReadsStridedPiecesAndConverts) {
  const auto pairs =
      WriteNpy<int32_t>("pairs.npy", {'i', 4}, {3, 2}, {1, 10, 2, 20, 3, -30});
  const auto to =
      OpenFileColumn({{pairs, 128 + 4, 8, 3}}, {'i', 4}, {DType::kInt64, 0});
  ASSERT_TRUE(to.ok()) << to.status();
  EXPECT_EQ(ReadAll<int64_t>(**to, 0, 3), (std::vector<int64_t>{10, 20, -30}));
  const auto narrow =
      OpenFileColumn({{pairs, 128 + 4, 8, 3}}, {'i', 4}, {DType::kUint8, 0});
  ASSERT_TRUE(narrow.ok());
  uint8_t out[3];
  EXPECT_EQ((*narrow)->Read(0, 3, out).message(),
            pairs + ", row 2: a value that uint8 cannot hold");
}

TEST(FileColumnTest, RefusesWhatItCannotRead) {
  const auto a = WriteNpy<float>("d.npy", {'f', 4}, {2}, {1, 2});
  const auto b = WriteNpy<double>("e.npy", {'f', 8}, {1}, {1});
  EXPECT_EQ(OpenNpyColumn({a, b}).status().message(),
            b + " has other types or columns than " + a);
  const auto cut = WriteNpy<float>("f.npy", {'f', 4}, {2}, {1});
  EXPECT_EQ(OpenNpyColumn({cut}).status().code(), absl::StatusCode::kDataLoss);
  const auto float_ids = OpenNpyColumn({a});
  ASSERT_TRUE(float_ids.ok());
  EXPECT_EQ(AsInt64(*float_ids, "src").status().message(),
            "src is float32 of width 1; allowed: one whole number a row, as "
            "a.astype(np.int64) makes it");
}

// With bytes behind the array, as in an archive, it was one value a row.
TEST(FileColumnTest, RefusesBoolsThatAreNeither) {
  const auto path = WriteNpy<uint8_t>("flags.npy", {'b', 1}, {3}, {0, 1, 3});
  const auto flags = OpenNpyColumn({path});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(ReadAll<uint8_t>(**flags, 0, 2), (std::vector<uint8_t>{0, 1}));
  uint8_t out[3];
  EXPECT_EQ((*flags)->Read(0, 3, out).message(),
            path + ", row 2: a value that bool cannot hold");
}

TEST(FileColumnTest, RefusesRowsWithoutColumns) {
  const auto none = WriteNpy<float>("i.npy", {'f', 4}, {2, 0}, {1, 2});
  EXPECT_EQ(OpenNpyColumn({none}).status().message(),
            none + " has rows of 0 columns; allowed: 1 column and more");
}

TEST(FileColumnTest, WidensIds) {
  const auto a = WriteNpy<int32_t>("g.npy", {'i', 4}, {3}, {1, -2, 3});
  const auto column = OpenNpyColumn({a});
  ASSERT_TRUE(column.ok());
  const auto wide = AsInt64(*column, "src");
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_EQ(ReadAll<int64_t>(**wide, 0, 3), (std::vector<int64_t>{1, -2, 3}));
  const auto u = WriteNpy<uint32_t>("h.npy", {'u', 4}, {1}, {0xffffffffu});
  const auto unsigned_ids = OpenNpyColumn({u});
  ASSERT_TRUE(unsigned_ids.ok());
  EXPECT_EQ(ReadAll<int64_t>(**unsigned_ids, 0, 1),
            (std::vector<int64_t>{0xffffffff}));
}

TEST(SpoolTest, FindsWhatWasFinished) {
  const Spool spool(testing::TempDir());
  EXPECT_EQ(*spool.Find("x"), nullptr);
  auto writer = spool.Create("x", {DType::kFloat32, 2});
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->AppendValues<float>({1, 2, 3, 4}).ok());
  EXPECT_EQ(writer->num_rows(), 2);
  EXPECT_EQ(*spool.Find("x"), nullptr);
  ASSERT_TRUE(writer->Finish().ok());
  const auto found = spool.Find("x");
  ASSERT_TRUE(found.ok() && *found != nullptr);
  EXPECT_EQ((*found)->schema(), (ColumnSchema{DType::kFloat32, 2}));
  EXPECT_EQ(ReadAll<float>(**found, 0, 2), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(*spool.Find("x.y"), nullptr);
}

TEST(SpoolTest, AnUnfinishedColumnIsWrittenAgain) {
  const Spool spool(testing::TempDir());
  {
    auto lost = spool.Create("lost", {DType::kInt64, 0});
    ASSERT_TRUE(lost.ok());
    ASSERT_TRUE(lost->AppendValues<int64_t>({1}).ok());
  }
  EXPECT_EQ(*spool.Find("lost"), nullptr);
  EXPECT_TRUE(spool.Create("lost", {DType::kInt64, 0}).ok());
}

}  // namespace
}  // namespace tributary
