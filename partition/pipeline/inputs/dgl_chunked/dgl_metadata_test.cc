#include "partition/pipeline/inputs/dgl_chunked/dgl_metadata.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The shape of the example in DGL's user guide, 7.1.
constexpr char kGuide[] = R"({
  "graph_name": "mag",
  "node_type": ["author", "paper"],
  "num_nodes_per_type": [3, 5],
  "edge_type": ["author:writes:paper", "paper:cites:paper"],
  "num_edges_per_type": [4, 2],
  "edges": {
    "author:writes:paper": {
      "format": {"name": "csv", "delimiter": " "},
      "data": ["edges/writes-1.csv", "edges/writes-2.csv"]},
    "paper:cites:paper": {
      "format": {"name": "parquet"}, "data": ["/data/cites.parquet"]}
  },
  "node_data": {"paper": {
    "feat": {"format": {"name": "numpy"}, "data": ["feat-1.npy"]}}},
  "edge_data": {}
})";

std::string ErrorOf(const std::string& text) {
  const auto metadata = ParseDglMetadata(text, "metadata.json");
  EXPECT_FALSE(metadata.ok());
  EXPECT_EQ(metadata.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(metadata.status().message());
}

std::string With(const std::string& from, const std::string& to) {
  const std::string text = absl::StrReplaceAll(kGuide, {{from, to}});
  EXPECT_NE(text, kGuide) << from;
  return text;
}

TEST(DglMetadataTest, ReadsTheGuidesExample) {
  const auto metadata = ParseDglMetadata(kGuide, "metadata.json");
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->graph_name, "mag");
  ASSERT_EQ(metadata->node_types.size(), 2u);
  EXPECT_EQ(metadata->node_types[1].name, "paper");
  EXPECT_EQ(metadata->node_types[1].nodes.total, 5);
  EXPECT_TRUE(metadata->node_types[1].nodes.by_chunk.empty());
  EXPECT_EQ(metadata->node_types[1].data.at("feat").format,
            ChunkFiles::Format::kNumpy);
  ASSERT_EQ(metadata->edge_types.size(), 2u);
  const DglEdgeType& writes = metadata->edge_types[0];
  EXPECT_EQ(writes.name(), "author:writes:paper");
  EXPECT_EQ(writes.edges.total, 4);
  EXPECT_EQ(writes.ends.delimiter, ' ');
  EXPECT_THAT(writes.ends.paths,
              ElementsAre("edges/writes-1.csv", "edges/writes-2.csv"));
  EXPECT_EQ(metadata->edge_types[1].ends.format, ChunkFiles::Format::kParquet);
}

TEST(DglMetadataTest, ReadsNumbersByChunk) {
  const auto metadata =
      ParseDglMetadata(With("\"num_nodes_per_type\": [3, 5]",
                            "\"num_nodes_per_chunk\": [[2, 1], [5, 0]]"),
                       "metadata.json");
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->node_types[0].nodes.total, 3);
  EXPECT_THAT(metadata->node_types[0].nodes.by_chunk, ElementsAre(2, 1));
}

TEST(DglMetadataTest, RefusesNumbersThatDisagree) {
  EXPECT_THAT(ErrorOf(With("\"num_nodes_per_type\": [3, 5]",
                           "\"num_nodes_per_type\": [3, 6], "
                           "\"num_nodes_per_chunk\": [[2, 1], [5, 0]]")),
              HasSubstr("num_nodes_per_chunk has 5 nodes of type 1, "
                        "num_nodes_per_type 6"));
}

TEST(DglMetadataTest, NamesTheMissingKey) {
  EXPECT_EQ(ErrorOf(With("num_edges_per_type", "num_edges")),
            "metadata.json: there is neither a key num_edges_per_chunk nor "
            "num_edges_per_type");
  EXPECT_EQ(ErrorOf(With("\"data\": [\"feat-1.npy\"]", "\"files\": []")),
            "metadata.json: node_data.paper.feat: there is no key data");
}

TEST(DglMetadataTest, NamesTheTypeThatIsNotThere) {
  EXPECT_EQ(
      ErrorOf(With("\"node_data\": {\"paper\"", "\"node_data\": {\"papers\"")),
      "metadata.json: node_data: there is no type \"papers\"; allowed: "
      "author, paper");
  EXPECT_EQ(ErrorOf(With("author:writes:paper", "writer:writes:paper")),
            "metadata.json: edge_type \"writer:writes:paper\": \"writer\" is "
            "no node type; allowed: author, paper");
  EXPECT_EQ(ErrorOf(With("author:writes:paper", "writes")),
            "metadata.json: edge_type \"writes\"; allowed: "
            "SOURCE:RELATION:DESTINATION");
}

TEST(DglMetadataTest, NamesMayHoldColons) {
  const std::string urn = absl::StrReplaceAll(
      kGuide, {{"author", "urn:author"}, {":writes:", ":http://w:1:"}});
  const auto metadata = ParseDglMetadata(urn, "metadata.json");
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_EQ(metadata->edge_types[0].src, "urn:author");
  EXPECT_EQ(metadata->edge_types[0].rel, "http://w:1");
  EXPECT_EQ(metadata->edge_types[0].dst, "paper");
  // From "a" by "b:c", or from "a:b" by "c".
  const std::string two_ways =
      absl::StrReplaceAll(kGuide, {{"\"author\", \"paper\"", "\"a\", \"a:b\""},
                                   {"\"paper\"", "\"a\""},
                                   {"author:writes:paper", "a:b:c:a"},
                                   {"paper:cites:paper", "a:r:a"}});
  EXPECT_EQ(ErrorOf(two_ways),
            "metadata.json: edge_type \"a:b:c:a\" may be read in two ways; "
            "allowed: names without colons");
  EXPECT_THAT(ErrorOf(With("author:writes:paper", "x:a:b:c")),
              HasSubstr("allowed: SOURCE:RELATION:DESTINATION"));
}

TEST(DglMetadataTest, RefusesWhatCannotBeRead) {
  EXPECT_THAT(ErrorOf(With("\"parquet\"", "\"orc\"")),
              HasSubstr("edges.paper:cites:paper.format: name is none of the "
                        "allowed: csv, numpy, parquet"));
  EXPECT_THAT(ErrorOf(With("\" \"", "\"ab\"")),
              HasSubstr("edges.author:writes:paper.format: delimiter"));
  EXPECT_THAT(ErrorOf(With("[3, 5]", "[3]")),
              HasSubstr("num_nodes_per_type has 1 entries; allowed: for each "
                        "of the 2 types a number"));
  EXPECT_THAT(ErrorOf(With("[3, 5]", "[3, -5]")),
              HasSubstr("num_nodes_per_type has a wrong entry 1"));
  EXPECT_THAT(ErrorOf(std::string(kGuide).substr(0, 300)),
              HasSubstr("metadata.json line 10: this is no JSON here"));
}

TEST(DglMetadataTest, NotesOtherKeys) {
  const auto metadata = ParseDglMetadata(
      With("\"edge_data\"", "\"maker\": 1, \"edge_data\""), "metadata.json");
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  EXPECT_THAT(metadata->other_keys, ElementsAre("maker"));
}

}  // namespace
}  // namespace tributary
