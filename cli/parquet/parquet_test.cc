// Parquet files, written by Arrow, through the real program.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/parquet/testing/parquet_path.h"
#include "cli/parquet/testing/parquet_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/parquet/parquet_table.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ParquetTest : public testing::Test {
 protected:
  void SetUp() override { FindParquetProgram(); }

  std::string Write(const std::string& name,
                    const std::vector<WrittenColumn>& columns,
                    const ParquetFileOptions& options = {}) {
    const std::string path = folder_.File(name);
    const absl::Status status = WriteParquet(path, columns, options);
    EXPECT_TRUE(status.ok()) << status;
    return path;
  }
  ParquetTable Open(const std::vector<std::string>& paths) {
    auto table = ParquetTable::Open(paths);
    EXPECT_TRUE(table.ok()) << table.status();
    return *std::move(table);
  }
  // Reads a column by way of the spool.
  template <typename T>
  std::vector<T> Read(const ParquetTable& table, const std::vector<int>& from) {
    const Spool spool(folder_.path());
    const auto column =
        table.ToSpool(from, spool, "column" + std::to_string(next_++));
    EXPECT_TRUE(column.ok()) << column.status();
    if (!column.ok()) return {};
    dim_ = (*column)->schema().dim;
    std::vector<T> values((*column)->num_rows() * (*column)->schema().width());
    EXPECT_EQ((*column)->schema().row_bytes(),
              sizeof(T) * (*column)->schema().width());
    EXPECT_TRUE((*column)
                    ->Read(0, (*column)->num_rows(),
                           reinterpret_cast<uint8_t*>(values.data()))
                    .ok());
    return values;
  }
  std::string ErrorOf(const std::string& path, int column) {
    const auto table = ParquetTable::Open({path});
    if (!table.ok()) return std::string(table.status().message());
    const absl::Status status = table->ForEachBlock(
        {column}, [](const ParquetBlock&) { return absl::OkStatus(); });
    return std::string(status.message());
  }

  TemporaryFolder folder_;
  int next_ = 0;
  int64_t dim_ = -1;  // of the column that was read last
};

TEST_F(ParquetTest, ReadsEachTypeAndAllFiles) {
  const auto write = [&](const std::string& name, int64_t add) {
    return Write(name,
                 {{"i64", std::vector<int64_t>{add, add + 1, -5}},
                  {"u16", std::vector<uint16_t>{1, 65535, 3}},
                  {"u64", std::vector<uint64_t>{1, 2, 1ull << 62}},
                  {"flag", std::vector<bool>{true, false, true}},
                  {"f32", std::vector<float>{0.5f, -0.0f, 3}},
                  {"f64", std::vector<double>{0.25, 1e300, 3}},
                  {"word", std::vector<std::string>{"a", "", "xyz"}}},
                 {.row_group = 2});
  };
  const ParquetTable table =
      Open({write("a.parquet", 10), write("b.parquet", 20)});
  EXPECT_EQ(table.num_rows(), 6);
  EXPECT_THAT(table.file_rows(), ElementsAre(3, 3));
  EXPECT_EQ(table.Where(4), folder_.File("b.parquet") + ", row 1");
  ASSERT_EQ(table.columns().size(), 7u);
  EXPECT_EQ(table.columns()[1].schema.dtype, DType::kInt32);
  EXPECT_TRUE(table.columns()[6].is_text);
  EXPECT_THAT(Read<int64_t>(table, {0}), ElementsAre(10, 11, -5, 20, 21, -5));
  EXPECT_EQ(dim_, 0);
  EXPECT_THAT(Read<int32_t>(table, {1}), ElementsAre(1, 65535, 3, 1, 65535, 3));
  EXPECT_THAT(Read<int64_t>(table, {2}),
              ElementsAre(1, 2, int64_t{1} << 62, 1, 2, int64_t{1} << 62));
  EXPECT_THAT(Read<uint8_t>(table, {3}), ElementsAre(1, 0, 1, 1, 0, 1));
  const auto floats = Read<float>(table, {4});
  EXPECT_THAT(floats, ElementsAre(0.5f, -0.0f, 3, 0.5f, -0.0f, 3));
  EXPECT_TRUE(std::signbit(floats[1]));
  EXPECT_THAT(Read<double>(table, {5}),
              ElementsAre(.25, 1e300, 3, .25, 1e300, 3));
}

// Batches are at most 65,536 rows; this has more, and two columns of texts.
TEST_F(ParquetTest, StreamsMoreThanOneBlock) {
  constexpr int64_t kRows = 150000;
  std::vector<int64_t> numbers;
  std::vector<std::string> words;
  for (int64_t i = 0; i < kRows; ++i) {
    numbers.push_back(i * i);
    words.push_back(std::string(static_cast<size_t>(i % 90), 'a' + i % 26));
  }
  const ParquetTable table = Open({Write(
      "a.parquet", {{"w", words}, {"n", numbers}}, {.row_group = 40000})});
  int64_t next = 0;
  int blocks = 0;
  const absl::Status status =
      table.ForEachBlock({1, 0}, [&](const ParquetBlock& block) {
        EXPECT_EQ(block.first_row, next);
        for (int64_t r = 0; r < block.num_rows; ++r, ++next) {
          int64_t value;
          std::memcpy(&value, block.values[0].data() + r * 8, 8);
          EXPECT_EQ(value, next * next);
          EXPECT_EQ(block.texts[1][r], words[next]);
        }
        ++blocks;
        return testing::Test::HasFailure() ? absl::CancelledError("")
                                           : absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(next, kRows);
  EXPECT_GT(blocks, 2);
}

TEST_F(ParquetTest, PutsColumnsBesideOneAnother) {
  const ParquetTable table = Open({Write("a.parquet",
                                         {{"0", std::vector<float>{1, 2}},
                                          {"1", std::vector<float>{10, 20}},
                                          {"2", std::vector<float>{100, 200}}},
                                         {.shape = "(2, 3)"})});
  EXPECT_EQ(table.shape(), "(2, 3)");
  EXPECT_THAT(Read<float>(table, {0, 1, 2}),
              ElementsAre(1, 10, 100, 2, 20, 200));
  EXPECT_EQ(dim_, 3);
}

TEST_F(ParquetTest, ReadsListsOfEqualLength) {
  const std::vector<std::vector<float>> lists = {{1, 2}, {3, 4}, {5, 6}};
  for (const bool fixed : {false, true}) {
    const ParquetTable table = Open({Write(
        "a.parquet", {{"x", lists}}, {.row_group = 2, .fixed_lists = fixed})});
    EXPECT_THAT(Read<float>(table, {0}), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(dim_, 2);
    EXPECT_THAT(ErrorOf(Write("none.parquet",
                              {{"x", std::vector<std::vector<float>>{{}, {}}}},
                              {.fixed_lists = fixed}),
                        0),
                HasSubstr("column \"x\", row 0: a list without values"));
  }
  EXPECT_THAT(
      ErrorOf(Write("b.parquet",
                    {{"x", std::vector<std::vector<float>>{{1, 2}, {3}}}}),
              0),
      HasSubstr("b.parquet: row 1, column \"x\": a list of 1 values; the first "
                "row has 2"));
}

// A file without rows does not know how long its lists are.
TEST_F(ParquetTest, AFileWithoutRowsFits) {
  const std::vector<std::vector<float>> none, some = {{1, 2, 3}};
  const ParquetTable table = Open(
      {Write("a.parquet", {{"x", none}}), Write("b.parquet", {{"x", some}})});
  EXPECT_THAT(Read<float>(table, {0}), ElementsAre(1, 2, 3));
}

TEST_F(ParquetTest, ReadsDictionariesOfTexts) {
  const std::vector<std::string> words = {"b", "a", "b"};
  const ParquetTable table =
      Open({Write("a.parquet", {{"w", words}}, {.dictionary_texts = true})});
  ASSERT_TRUE(table.columns()[0].is_text);
  std::vector<std::string> found;
  EXPECT_TRUE(table
                  .ForEachBlock({0},
                                [&](const ParquetBlock& block) {
                                  for (const auto text : block.texts[0]) {
                                    found.emplace_back(text);
                                  }
                                  return absl::OkStatus();
                                })
                  .ok());
  EXPECT_EQ(found, words);
}

TEST_F(ParquetTest, NullIsNanAmongFloatsOnly) {
  const std::string path =
      Write("a.parquet", {{"f", MaybeValues<float>{1.f, std::nullopt}},
                          {"n", MaybeValues<int64_t>{1, std::nullopt}}});
  const auto floats = Read<uint32_t>(Open({path}), {0});
  EXPECT_EQ(floats[1], 0x7fc00000u);
  EXPECT_EQ(
      ErrorOf(path, 1),
      path + ": row 1, column \"n\": a null; allowed: a value in each row");
}

TEST_F(ParquetTest, RefusesANumberThatDoesNotFit) {
  const std::string path =
      Write("a.parquet", {{"n", std::vector<uint64_t>{1ull << 63}}});
  EXPECT_THAT(ErrorOf(path, 0), HasSubstr("row 0, column \"n\": "
                                          "9223372036854775808; allowed: "
                                          "numbers below 2^63"));
}

TEST_F(ParquetTest, NamesTheFileThatIsNotThereOrDamaged) {
  const auto missing = ParquetTable::Open({folder_.File("none.parquet")});
  EXPECT_TRUE(absl::IsNotFound(missing.status())) << missing.status();
  const std::string good =
      Write("a.parquet", {{"n", std::vector<int64_t>(1000, 7)}});
  const std::string text = folder_.File("text.parquet");
  std::ofstream(text) << "1,2\n";
  const auto wrong = ParquetTable::Open({good, text});
  EXPECT_TRUE(absl::IsDataLoss(wrong.status())) << wrong.status();
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr(text));
  std::filesystem::resize_file(good, std::filesystem::file_size(good) - 10);
  const auto cut = ParquetTable::Open({good});
  EXPECT_TRUE(absl::IsDataLoss(cut.status())) << cut.status();
}

TEST_F(ParquetTest, RefusesFilesWithOtherColumns) {
  const std::string a = Write("a.parquet", {{"n", std::vector<int64_t>{1}}});
  const std::string b = Write("b.parquet", {{"n", std::vector<int32_t>{1}}});
  const auto table = ParquetTable::Open({a, b});
  EXPECT_TRUE(absl::IsInvalidArgument(table.status())) << table.status();
  EXPECT_THAT(std::string(table.status().message()),
              HasSubstr("b.parquet: column 0, \"n\", has another"));
}

TEST_F(ParquetTest, SaysWhatToDoWithoutTheProgram) {
  const std::string path = Write("a.parquet", {{"n", std::vector<int64_t>{1}}});
  setenv("PATH", "/nowhere", 1);
  const auto table = ParquetTable::Open({path});
  EXPECT_EQ(table.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(table.status().message()),
              HasSubstr("tributary-parquet"));
}

// An error of the caller ends the program, which has more to send.
TEST_F(ParquetTest, StopsInTheMiddle) {
  const ParquetTable table =
      Open({Write("a.parquet", {{"n", std::vector<int64_t>(2000000, 7)}})});
  int blocks = 0;
  const absl::Status status = table.ForEachBlock({0}, [&](const auto&) {
    ++blocks;
    return absl::CancelledError("enough");
  });
  EXPECT_EQ(status.message(), "enough");
  EXPECT_EQ(blocks, 1);
}

}  // namespace
}  // namespace tributary
