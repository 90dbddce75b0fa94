#include "partition/pipeline/inputs/tables/text_table.h"

#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/tables/id_text.h"

namespace tributary {
namespace {

using testing::HasSubstr;

class TextTableTest : public testing::Test {
 protected:
  TextTableTest() : spool_(folder_.path()) {}

  std::shared_ptr<Table> Open(const std::string& file, const std::string& text,
                              const TableOptions& options = {}) {
    std::ofstream(folder_.File(file), std::ios::binary) << text;
    auto table = OpenTable({folder_.File(file)}, options);
    EXPECT_TRUE(table.ok()) << table.status();
    return *table;
  }
  // Returns the cells of a column as texts.
  std::vector<std::string> Texts(Table& table, int column) {
    const auto read = table.Read(
        {{CellKind::kSplit, {column}, "texts" + std::to_string(num_texts_++)}},
        spool_);
    EXPECT_TRUE(read.ok()) << read.status();
    if (!read.ok()) return {};
    std::vector<std::string> texts;
    IdTextReader in(*read->front());
    absl::string_view text;
    while (in.Next(&text)) texts.emplace_back(text);
    EXPECT_TRUE(in.status().ok()) << in.status();
    return texts;
  }
  std::string ErrorOf(Table& table, CellKind kind, int column) {
    const auto read = table.Read(
        {{kind, {column}, "bad" + std::to_string(num_texts_++)}}, spool_);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    std::string message(read.status().message());
    const std::string prefix = folder_.path() + "/";
    if (message.rfind(prefix, 0) == 0) message.erase(0, prefix.size());
    return message;
  }

  const TemporaryFolder folder_;
  const Spool spool_;
  int num_texts_ = 0;
};

using TextList = std::vector<std::string>;

TEST_F(TextTableTest, SaysWhatItsColumnsTakeAtLeast) {
  std::string text = "src,dst,x,when,keep,unused\n";
  for (int i = 0; i < 5000; ++i) {
    text += std::to_string(i * 7919) + ",n" + std::to_string(i) + ",0.5," +
            std::to_string(i) + ",1,unused words\n";
  }
  const auto table = Open("edges.csv", text);
  const std::vector<CellRequest> requests = {{CellKind::kDenseId, {0}, "src"},
                                             {CellKind::kTextId, {1}, "dst"},
                                             {CellKind::kFloats, {2}, "x"},
                                             {CellKind::kTime, {3}, "when"},
                                             {CellKind::kMask, {4}, "keep"}};
  const auto parts = table->Parts(requests);
  ASSERT_EQ(parts.size(), 1);
  EXPECT_EQ(parts[0].name, folder_.File("edges.csv"));
  EXPECT_EQ(parts[0].size, text.size());
  const auto columns = table->Read(requests, spool_);
  ASSERT_TRUE(columns.ok()) << columns.status();
  uint64_t bytes = 0;
  for (const ColumnPtr& column : *columns) {
    bytes += column->num_rows() * column->schema().row_bytes();
  }
  EXPECT_LE(parts[0].least_column_bytes, bytes);
  EXPECT_GE(parts[0].least_column_bytes, bytes / 5);
  EXPECT_EQ(table->Parts({requests[4]})[0].least_column_bytes, 0);
  // "0.5," of 34 to 44 bytes a row.
  EXPECT_NEAR(table->Parts({requests[2]})[0].least_column_bytes, 4 * 5000 / 7,
              500);
}

TEST_F(TextTableTest, DetectsDelimiters) {
  for (const auto& [file, text] :
       std::vector<std::pair<std::string, std::string>>{
           {"a.csv", "x,1\ny,2\n"},
           {"a.tsv", "x\t1\r\ny\t2"},
           {"a.txt", "x 1\n  y \t 2 \n"},
           {"b.txt", "x|1\ny|2\n"},
           {"c.txt", "x;1\ny;2\n"},
           {"d.txt", "# from\tto\n#\nx\t1\ny\t2\n"}}) {
    auto table = Open(file, text);
    EXPECT_EQ(table->num_columns(), 2) << file;
    EXPECT_EQ(Texts(*table, 0), (TextList{"x", "y"})) << file;
    EXPECT_EQ(Texts(*table, 1), (TextList{"1", "2"})) << file;
  }
}

TEST_F(TextTableTest, UnquotesCells) {
  auto table =
      Open("a.csv", "\"a,b\",1\n\"say \"\"hi\"\"\",2\n\"\",3\nplain,\"4\"\n");
  EXPECT_EQ(Texts(*table, 0), (TextList{"a,b", "say \"hi\"", "", "plain"}));
  EXPECT_EQ(Texts(*table, 1), (TextList{"1", "2", "3", "4"}));
  auto open = Open("b.csv", "1,2\n3,4\n1,\"2\n");
  EXPECT_THAT(ErrorOf(*open, CellKind::kTextId, 0),
              HasSubstr("b.csv line 3: cell 1 has a quote that does not end"));
  auto behind = Open("c.csv", "1,2\n3,4\n\"1\"x,2\n");
  EXPECT_THAT(ErrorOf(*behind, CellKind::kTextId, 0),
              HasSubstr("c.csv line 3: cell 0 has text after its quote"));
}

TEST_F(TextTableTest, DetectsHeaders) {
  EXPECT_EQ(Texts(*Open("a.csv", "source,target\na,b\n"), 0), TextList{"a"});
  EXPECT_EQ(Texts(*Open("b.csv", "me,you\n1,2\n"), 0), TextList{"1"});
  auto words = Open("c.csv", "ann,bob\nbob,cy\n");
  EXPECT_EQ(Texts(*words, 0), (TextList{"ann", "bob"}));
  EXPECT_THAT(words->note(), HasSubstr("give --header yes"));
  EXPECT_EQ(Texts(*Open("d.csv", "ann,bob\nbob,cy\n", {.header = true}), 0),
            TextList{"bob"});
  EXPECT_EQ(
      Texts(*Open("e.csv", "ann,bob\nbob,cy\n", {.named_columns = true}), 0),
      TextList{"bob"});
  EXPECT_EQ(Texts(*Open("f.csv", "1,2\n3,4\n"), 0), (TextList{"1", "3"}));
}

TEST_F(TextTableTest, FindsColumns) {
  auto table = Open("a.csv", "src,f0,f1,f0\n1,2,3,4\n");
  EXPECT_EQ(*table->Find({"f1", "0", "src"}), (std::vector<int>{2, 0, 0}));
  EXPECT_EQ(*table->Find({"f*"}), (std::vector<int>{1, 2, 3}));
  EXPECT_THAT(std::string(table->Find({"f0"}).status().message()),
              HasSubstr("the column \"f0\" is there 2 times"));
  EXPECT_THAT(
      std::string(table->Find({"dst"}).status().message()),
      HasSubstr("a.csv: there is no column \"dst\"; allowed: 0 to 3, or src, "
                "f0, f1, f0"));
  EXPECT_FALSE(table->Find({"4"}).ok());
}

TEST_F(TextTableTest, NamesFileLineAndColumn) {
  auto table = Open("a.csv", "src,w\n1,0.5\nx,-1\n");
  EXPECT_EQ(
      ErrorOf(*table, CellKind::kDenseId, 0),
      "a.csv line 3, column src: \"x\"; allowed: a dense id, a whole "
      "number from 0, without leading zeros (edge lists: others with --ids "
      "auto)");
  EXPECT_THAT(ErrorOf(*table, CellKind::kWeight, 1),
              HasSubstr("a.csv line 3, column w: \"-1\"; allowed: a weight"));
  auto ragged = Open("b.csv", "1,2\n1,2,3\n");
  EXPECT_EQ(ErrorOf(*ragged, CellKind::kDenseId, 0),
            "b.csv line 2: 3 cells; the first line has 2");
  auto gap = Open("c.csv", "1,2\n\n3,4\n");
  EXPECT_EQ(ErrorOf(*gap, CellKind::kDenseId, 0),
            "c.csv line 2: 1 cells; the first line has 2");
  EXPECT_FALSE(OpenTable({folder_.File("none.csv")}, {}).ok());
}

TEST_F(TextTableTest, ColumnsHaveTheNarrowestType) {
  auto table = Open("a.csv", "y,z,w,v\n1,1,0.5,0.5\n2,2.5,1,0.1\n");
  const auto read = table->Read({{CellKind::kLabels, {0}, "y"},
                                 {CellKind::kLabels, {1}, "z"},
                                 {CellKind::kLabels, {0, 1}, "yz"},
                                 {CellKind::kWeight, {2}, "w"},
                                 {CellKind::kWeight, {3}, "v"}},
                                spool_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)[0]->schema(), (ColumnSchema{DType::kInt64, 0}));
  EXPECT_EQ((*read)[1]->schema(), (ColumnSchema{DType::kFloat32, 0}));
  EXPECT_EQ((*read)[2]->schema(), (ColumnSchema{DType::kFloat32, 2}));
  EXPECT_EQ((*read)[3]->schema(), (ColumnSchema{DType::kFloat32, 0}));
  EXPECT_EQ((*read)[4]->schema(), (ColumnSchema{DType::kFloat64, 0}));
  EXPECT_EQ(*ReadValues<double>(*(*read)[4], 0, 2),
            (std::vector<double>{0.5, 0.1}));
  EXPECT_EQ((*read)[0]->Where(1), folder_.File("a.csv") + " line 3, column y");
  // An earlier run's columns are found, whatever became of the file.
  std::ofstream(folder_.File("a.csv"), std::ios::trunc) << "y,z,w,v\nbad\n";
  const auto again = table->Read({{CellKind::kLabels, {1}, "z"}}, spool_);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*ReadValues<float>(*again->front(), 0, 2),
            (std::vector<float>{1, 2.5}));
}

TEST_F(TextTableTest, FilesFollowOneAnother) {
  std::ofstream(folder_.File("a.csv")) << "src,dst\n1,2\n";
  std::ofstream(folder_.File("b.csv")) << "src,dst\n3,4\n";
  std::ofstream(folder_.File("c.csv")) << "dst,src\n5,6\n";
  auto table =
      OpenTable({folder_.File("a.csv"), folder_.File("b.csv")}, TableOptions{});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(Texts(**table, 0), (TextList{"1", "3"}));
  EXPECT_EQ((*table)->Where(1), folder_.File("b.csv") + " line 2");
  auto other =
      OpenTable({folder_.File("a.csv"), folder_.File("c.csv")}, TableOptions{});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_THAT(ErrorOf(**other, CellKind::kTextId, 0),
              HasSubstr("c.csv line 1: other columns than"));
}

}  // namespace
}  // namespace tributary
