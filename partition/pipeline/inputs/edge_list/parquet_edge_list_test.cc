// Edge lists in Parquet are the graphs that the same text is.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "cli/parquet/testing/parquet_path.h"
#include "cli/parquet/testing/parquet_writer.h"
#include "common/hash/sha256.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/edge_list/edge_list.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

using testing::HasSubstr;
using Texts = std::vector<std::string>;
using Longs = std::vector<int64_t>;

class ParquetEdgeListTest : public testing::Test {
 protected:
  void SetUp() override { FindParquetProgram(); }

  void Write(const std::string& name,
             const std::vector<WrittenColumn>& columns) {
    const absl::Status status = WriteParquet(folder_.File(name), columns);
    ASSERT_TRUE(status.ok()) << status;
  }
  void WriteText(const std::string& name, const std::string& text) {
    std::ofstream(folder_.File(name)) << text;
  }
  // Reads edges and nodes in files of this suffix.
  absl::StatusOr<std::string> Digest(const std::string& suffix) {
    InputOptions options;
    options.folder = folder_.File("e" + suffix);
    options.edge_weight = "w";
    options.edge_masks = {"keep"};
    options.layout.node_files = {folder_.File("n" + suffix)};
    options.layout.features = {"f*"};
    options.layout.labels = {"y"};
    options.layout.split = "part";
    const TemporaryFolder spool_folder;
    const auto graph = ReadEdgeList(options, Spool(spool_folder.path()));
    if (!graph.ok()) return graph.status();
    const auto content = LoadContent(*graph);
    if (!content.ok()) return content.status();
    return ToHex(ComputeContentDigest(*content));
  }

  const TemporaryFolder folder_;
};

TEST_F(ParquetEdgeListTest, WordsAndNumbersAreThoseOfText) {
  WriteText("e.csv", "src,dst,w,keep\nb,a,0.5,1\na,c,2,0\n");
  WriteText("n.csv", "id,f0,f1,y,part\nc,5,6,2,val\na,1,2,0,train\nb,3,4,1,\n");
  const auto words = Digest(".csv");
  ASSERT_TRUE(words.ok()) << words.status();
  const WrittenColumn w{"w", std::vector<float>{0.5, 2}};
  const WrittenColumn keep{"keep", std::vector<bool>{true, false}};
  Write("e.parquet",
        {{"src", Texts{"b", "a"}}, {"dst", Texts{"a", "c"}}, w, keep});
  Write("n.parquet", {{"id", Texts{"c", "a", "b"}},
                      {"f0", std::vector<float>{5, 1, 3}},
                      {"f1", std::vector<float>{6, 2, 4}},
                      {"y", Longs{2, 0, 1}},
                      {"part", Texts{"val", "train", ""}}});
  EXPECT_EQ(Digest(".parquet").value_or("no graph"), *words);
  // The same order of numbers, so the same graph.
  Write("e.parquet", {{"src", Longs{7, -5}}, {"dst", Longs{-5, 90}}, w, keep});
  Write("n.parquet", {{"id", Longs{90, -5, 7}},
                      {"f0", std::vector<float>{5, 1, 3}},
                      {"f1", std::vector<float>{6, 2, 4}},
                      {"y", Longs{2, 0, 1}},
                      {"part", Texts{"val", "train", ""}}});
  EXPECT_EQ(Digest(".parquet").value_or("no graph"), *words);
  Write("e.parquet", {{"src", Longs{7, 8}}, {"dst", Longs{-5, 90}}, w, keep});
  EXPECT_THAT(std::string(Digest(".parquet").status().message()),
              HasSubstr("e.parquet, row 1, column src: \"8\" is no id"));
  Write(
      "e.parquet",
      {{"src", Longs{7, 7}}, {"dst", Longs{-5, 90}}, {"w", Longs{1, 2}}, keep});
  EXPECT_TRUE(Digest(".parquet").ok());
  Write("e.parquet", {{"src", Longs{7, 7}},
                      {"dst", Longs{-5, 90}},
                      {"w", Texts{"1", "2"}},
                      keep});
  EXPECT_THAT(std::string(Digest(".parquet").status().message()),
              HasSubstr("column w: text of width 1; allowed: numbers"));
}

}  // namespace
}  // namespace tributary
