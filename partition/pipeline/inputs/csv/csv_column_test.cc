// Columns of csv files in a spool, and runs that go on after a kill. What cells
// and rows are refused is in the tests of the readers.
#include "partition/pipeline/inputs/csv/csv_column.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/csv/triple_table.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CsvColumnTest : public testing::Test {
 protected:
  CsvColumnTest() { std::filesystem::create_directory(folder_.File("spool")); }
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.File(name), std::ios::binary) << text;
    return folder_.File(name);
  }
  void Remove(const std::string& path) { std::filesystem::remove(path); }
  template <typename T>
  static std::vector<T> Values(const absl::StatusOr<ColumnPtr>& column) {
    EXPECT_TRUE(column.ok()) << column.status();
    if (!column.ok()) return {};
    return ValuesOf<T>(**column);
  }
  template <typename T>
  static std::vector<T> ValuesOf(const Column& column) {
    std::vector<T> values(column.num_rows() * column.schema().width());
    EXPECT_TRUE(column
                    .Read(0, column.num_rows(),
                          reinterpret_cast<uint8_t*>(values.data()))
                    .ok());
    return values;
  }

  // Returns the inode and the bytes of each finished column, by path.
  std::map<std::string, std::pair<ino_t, std::string>> Finished() const {
    std::map<std::string, std::pair<ino_t, std::string>> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(spool_.folder())) {
      struct stat info {};
      EXPECT_EQ(stat(entry.path().c_str(), &info), 0);
      std::ifstream in(entry.path(), std::ios::binary);
      files[entry.path()] = {info.st_ino,
                             {std::istreambuf_iterator<char>(in), {}}};
    }
    return files;
  }

  TemporaryFolder folder_;
  const Spool spool_{folder_.File("spool")};
};

TEST_F(CsvColumnTest, WhatWasParsedIsNotParsedAgain) {
  const std::string labels = Write("labels.csv", "1\n2\n0.5\n");
  const std::string weights = Write("weights.csv", "1\n0.1\n2\n");
  const std::string edges = Write("edges.csv", "0,1\n1,2\n2,0\n");
  ASSERT_TRUE(ReadLabelTable(labels, 3, spool_).ok());
  ASSERT_TRUE(ReadWeightTable(weights, 3, spool_).ok());
  ASSERT_TRUE(ReadEdgeTable(edges, 3, 3, 3, spool_).ok());
  for (const std::string& path : {labels, weights, edges}) Remove(path);
  EXPECT_THAT(Values<float>(ReadLabelTable(labels, 3, spool_)),
              ElementsAre(1, 2, 0.5));
  EXPECT_THAT(Values<double>(ReadWeightTable(weights, 3, spool_)),
              ElementsAre(1, 0.1, 2));
  const auto ends = ReadEdgeTable(edges, 3, 3, 3, spool_);
  ASSERT_TRUE(ends.ok()) << ends.status();
  EXPECT_THAT(ValuesOf<int64_t>(*ends->from), ElementsAre(0, 1, 2));
  EXPECT_THAT(ValuesOf<int64_t>(*ends->to), ElementsAre(1, 2, 0));
}

// The same file may be read as two columns.
TEST_F(CsvColumnTest, ColumnsOfOneFileAreApart) {
  const std::string path = Write("numbers.csv", "1\n0\n1\n");
  EXPECT_THAT(Values<float>(ReadWeightTable(path, 3, spool_)),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(Values<int64_t>(ReadTimeTable(path, 3, spool_)),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(Values<uint8_t>(ReadMaskTable(path, 3, spool_)),
              ElementsAre(1, 0, 1));
}

TEST_F(CsvColumnTest, AFailedParseIsBegunAgain) {
  const std::string path = Write("feat.csv", "1,2\n3,x\n");
  EXPECT_FALSE(ReadFloatTable(path, 2, spool_).ok());
  Write("feat.csv", "1,2\n3,4\n");
  EXPECT_THAT(Values<float>(ReadFloatTable(path, 2, spool_)),
              ElementsAre(1, 2, 3, 4));
}

// More rows than a block: a late value changes the type of all.
TEST_F(CsvColumnTest, TheLastValueMayDecideTheType) {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "7\n";
  const std::string whole = Write("whole.csv", text);
  const std::string mixed = Write("mixed.csv", text + "0.3\n");
  const auto labels = ReadLabelTable(whole, 40000, spool_);
  EXPECT_THAT(Values<int64_t>(labels), testing::Each(7));
  const auto floats = Values<float>(ReadLabelTable(mixed, 40001, spool_));
  ASSERT_EQ(floats.size(), 40001);
  EXPECT_EQ(floats[0], 7);
  EXPECT_EQ(floats.back(), 0.3f);
  const auto weights = Values<double>(ReadWeightTable(mixed, 40001, spool_));
  ASSERT_EQ(weights.size(), 40001);
  EXPECT_EQ(weights.back(), 0.3);
}

TEST_F(CsvColumnTest, EmptyFilesHaveASchema) {
  const std::string path = Write("none.csv", "");
  EXPECT_EQ((*ReadFloatTable(path, 0, spool_))->schema(),
            (ColumnSchema{DType::kFloat32, 1}));
  EXPECT_EQ((*ReadLabelTable(path, 0, spool_))->schema(),
            (ColumnSchema{DType::kInt64, 0}));
  EXPECT_THAT(Values<float>(ReadWeightTable(path, 0, spool_)), IsEmpty());
}

TEST_F(CsvColumnTest, TriplesKeepTheirOrderWithinARelation) {
  const std::string path = Write("t.csv", "5,1,0\n1,0,2\n4,1,0\n3,0,3\n");
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again);
    const auto triples = ReadTripleTable(path, 6, 3, spool_);
    ASSERT_TRUE(triples.ok()) << triples.status();
    ASSERT_EQ(triples->size(), 3);
    EXPECT_THAT(ValuesOf<int64_t>(*(*triples)[0].from), ElementsAre(1, 3));
    EXPECT_THAT(ValuesOf<int64_t>(*(*triples)[0].to), ElementsAre(2, 3));
    EXPECT_THAT(ValuesOf<int64_t>(*(*triples)[1].from), ElementsAre(5, 4));
    EXPECT_THAT(ValuesOf<int64_t>(*(*triples)[2].from), IsEmpty());
    Remove(path);
  }
}

// A kill between the ends of columns that are parsed together.
TEST_F(CsvColumnTest, WhatWasFinishedIsNotWrittenAgain) {
  struct Case {
    std::string path;
    std::function<absl::Status(const std::string&)> read;
  };
  const std::vector<Case> cases = {
      {Write("edges.csv", "0,1\n1,2\n2,0\n"),
       [&](const std::string& path) {
         return ReadEdgeTable(path, 3, 3, 3, spool_).status();
       }},
      {Write("triples.csv", "0,1,2\n1,0,2\n2,1,0\n"),
       [&](const std::string& path) {
         return ReadTripleTable(path, 3, 2, spool_).status();
       }}};
  for (const Case& c : cases) {
    const auto of_others = Finished();
    ASSERT_TRUE(c.read(c.path).ok());
    const auto whole = Finished();
    EXPECT_GE(whole.size(), of_others.size() + 2);
    for (const auto& [lost, contents] : whole) {
      if (of_others.contains(lost)) continue;
      auto before = Finished();
      before.erase(lost);
      std::filesystem::remove(lost);
      ASSERT_EQ(c.read(c.path), absl::OkStatus());
      auto after = Finished();
      EXPECT_EQ(after.at(lost).second, contents.second) << lost;
      after.erase(lost);
      EXPECT_EQ(after, before) << lost;
    }
  }
}

}  // namespace
}  // namespace tributary
