#include "partition/pipeline/inputs/npy_folder/npy_folder.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/tensor/npy.h"
#include "common/tensor/npz.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/source/spool.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<int64_t>;

class NpyFolderTest : public testing::Test {
 protected:
  template <typename T>
  void WriteArray(const std::string& name, NpyType type, const Ids& shape,
                  const std::vector<T>& values) {
    const std::string path = folder_.File(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::ofstream out(path, std::ios::binary);
    out << FormatNpyHeader(type, shape);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
  }
  void WriteIds(const std::string& name, const Ids& shape, const Ids& values) {
    WriteArray(name, kNpyInt64, shape, values);
  }
  void WriteMask(const std::string& name, const std::vector<uint8_t>& mask) {
    WriteArray(name, {'b', 1}, {static_cast<int64_t>(mask.size())}, mask);
  }
  absl::StatusOr<GraphSource> Read(const std::string& file = "") {
    options_.folder = folder_.path() + (file.empty() ? "" : "/" + file);
    spools_.push_back(std::make_unique<TemporaryFolder>());
    return ReadNpyFolder(options_, Spool(spools_.back()->path()));
  }
  std::string ErrorOf(const absl::Status& status) const {
    std::string message(status.message());
    const std::string prefix = folder_.path() + "/";
    while (message.find(prefix) != std::string::npos) {
      message.erase(message.find(prefix), prefix.size());
    }
    return message;
  }
  static Ids All(const Column& column) {
    return *ReadValues<int64_t>(column, 0, column.num_rows());
  }

  const TemporaryFolder folder_;
  InputOptions options_;
  std::vector<std::unique_ptr<TemporaryFolder>> spools_;
};

TEST_F(NpyFolderTest, ReadsDataOfPyG) {
  WriteArray<int32_t>("edge_index.npy", {'i', 4}, {2, 3}, {0, 1, 2, 1, 2, 3});
  WriteArray<float>("x.npy", {'f', 4}, {5, 1}, {0, 1, 2, 3, 4});
  WriteIds("y.npy", {5}, {5, 6, 7, 8, 9});
  WriteMask("train_mask.npy", {1, 0, 0, 1, 0});
  WriteIds("val_idx.npy", {2}, {4, 2});
  WriteArray<float>("edge_weight.npy", {'f', 4}, {3, 1}, {0.5, 1, 2});
  WriteMask("recent.npy", {0, 1, 1});
  WriteIds("pos.npy", {1}, {0});
  options_.edge_masks = {"recent"};
  const auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_FALSE(graph->heterogeneous);
  const NodeSource& nodes = graph->node_types[0];
  EXPECT_EQ(nodes.num_nodes, 5);
  EXPECT_EQ(nodes.x->schema(), (ColumnSchema{DType::kFloat32, 1}));
  EXPECT_EQ(All(*nodes.y), (Ids{5, 6, 7, 8, 9}));
  const EdgeSource& edges = graph->edge_types[0];
  EXPECT_EQ(All(*edges.from), (Ids{0, 1, 2}));
  EXPECT_EQ(All(*edges.to), (Ids{1, 2, 3}));
  EXPECT_EQ(edges.weight->schema(), (ColumnSchema{DType::kFloat32, 0}));
  EXPECT_TRUE(edges.masks.contains("recent"));
  ASSERT_EQ(graph->splits.size(), 2);
  EXPECT_EQ(graph->splits[0].nodes, (Ids{0, 3}));
  EXPECT_EQ(graph->splits[1].name, "valid");
  EXPECT_EQ(graph->splits[1].nodes, (Ids{4, 2}));
  EXPECT_THAT(graph->notes, ElementsAre(HasSubstr("pos.npy has no name of")));
  EXPECT_TRUE(LoadContent(*graph).ok());
}

// Each 0 and 1 was an id, so that the split was the nodes 0 and 1 alone.
TEST_F(NpyFolderTest, MasksMayBeWholeNumbers) {
  WriteIds("edge_index.npy", {2, 4}, {0, 1, 2, 3, 1, 2, 3, 0});
  WriteIds("num_nodes.npy", {}, {5});
  const std::vector<uint8_t> mask = {1, 0, 0, 1, 0}, edges = {0, 1, 0, 1};
  WriteArray<uint8_t>("train_mask.npy", {'u', 1}, {5}, mask);
  WriteArray<int8_t>("val_mask.npy", {'i', 1}, {5, 1}, {0, 0, 1, 0, 0});
  WriteArray<float>("test_mask.npy", {'f', 4}, {5}, {0, 1, 0, 0, 0});
  WriteIds("train_edge_mask.npy", {4}, {0, 1, 0, 1});
  WriteArray<uint8_t>("test_edge.npy", {'u', 1}, {4}, edges);
  const auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->splits.size(), 5);
  EXPECT_EQ(graph->splits[0].nodes, (Ids{1}));
  EXPECT_EQ(graph->splits[1].nodes, (Ids{0, 3}));
  EXPECT_EQ(graph->splits[2].nodes, (Ids{2}));
  EXPECT_EQ(graph->splits[3].rows, (Ids{1, 3}));
  EXPECT_EQ(graph->splits[4].rows, (Ids{1, 3}));
}

TEST_F(NpyFolderTest, NamesDecideWhetherNumbersAreAMask) {
  WriteIds("edge_index.npy", {2, 3}, {0, 1, 1, 1, 0, 0});
  WriteIds("num_nodes.npy", {}, {2});
  WriteIds("train_mask.npy", {2}, {0, 1});
  WriteIds("val_idx.npy", {2}, {0, 1});
  auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->splits[0].nodes, (Ids{1}));
  EXPECT_EQ(graph->splits[1].nodes, (Ids{0, 1}));
  WriteIds("val_idx.npy", {3}, {0, 1, 1});
  EXPECT_THAT(ErrorOf(Read().status()),
              HasSubstr("val_idx.npy has 3 whole numbers, 0 and 1 alone, as a "
                        "mask of the 2 rows has; allowed: a mask is bool"));
  WriteIds("val_idx.npy", {1}, {1});
  WriteIds("train_mask.npy", {3}, {0, 1, 1});
  EXPECT_THAT(ErrorOf(Read().status()),
              HasSubstr("train_mask.npy has 3 whole numbers, 0 and 1 alone, as "
                        "a mask has; wanted: 2"));
}

// PyG's Data keeps labels of ogbn-* so, and x may be one number.
TEST_F(NpyFolderTest, OneColumnIsOneLabelAndOneFeature) {
  WriteIds("edge_index.npy", {2, 2}, {0, 1, 1, 2});
  WriteIds("y.npy", {3, 1}, {4, 5, 6});
  WriteArray<float>("x.npy", {'f', 4}, {3}, {1, 2, 3});
  WriteArray<int8_t>("edge_attr.npy", {'i', 1}, {2}, {1, 2});
  const auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node_types[0].y->schema(), (ColumnSchema{DType::kInt64, 0}));
  EXPECT_EQ(All(*graph->node_types[0].y), (Ids{4, 5, 6}));
  EXPECT_EQ(graph->node_types[0].x->schema(),
            (ColumnSchema{DType::kFloat32, 1}));
  EXPECT_EQ(graph->edge_types[0].edge_attr->schema(),
            (ColumnSchema{DType::kInt8, 1}));
}

TEST_F(NpyFolderTest, WeightsAndTimesOfOtherTypes) {
  WriteIds("edge_index.npy", {2, 2}, {0, 1, 1, 2});
  WriteIds("edge_weight.npy", {2}, {3, 4});
  WriteArray<double>("edge_time.npy", {'f', 8}, {2}, {10, 20});
  const auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const EdgeSource& edges = graph->edge_types[0];
  EXPECT_EQ(*ReadValues<double>(*edges.weight, 0, 2),
            (std::vector<double>{3, 4}));
  EXPECT_EQ(All(*edges.time), (Ids{10, 20}));
}

TEST_F(NpyFolderTest, ReadsHeteroDataOfPyG) {
  WriteIds("author__writes__paper/edge_index.npy", {2, 2}, {0, 1, 2, 0});
  WriteIds("author__writes__paper/test_edge.npy", {1, 2}, {1, 1});
  WriteIds("author__writes__paper/train_edge_idx.npy", {1}, {1});
  WriteArray<float>("paper/x.npy", {'f', 4}, {3, 2}, {0, 0, 1, 1, 2, 2});
  WriteIds("paper/time.npy", {3}, {10, 20, 30});
  WriteIds("author/num_nodes.npy", {}, {4});
  const auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(graph->heterogeneous);
  ASSERT_EQ(graph->node_types.size(), 2);
  EXPECT_EQ(graph->node_types[0].num_nodes, 4);
  EXPECT_EQ(graph->node_types[1].num_nodes, 3);
  EXPECT_EQ(All(*graph->node_types[1].time), (Ids{10, 20, 30}));
  EXPECT_EQ(graph->edge_types[0].name(), "author,writes,paper");
  ASSERT_EQ(graph->splits.size(), 2);
  EXPECT_EQ(graph->splits[0].from, (Ids{1}));
  EXPECT_EQ(graph->splits[0].to, (Ids{1}));
  EXPECT_EQ(graph->splits[1].rows, (Ids{1}));
}

TEST_F(NpyFolderTest, CompressedRowsAreTheSameEdges) {
  // Into node 0: 2 (edge 1), 1 (edge 0); into node 2: 0 (edge 2).
  WriteIds("csc_indptr.npy", {4}, {0, 2, 2, 3});
  WriteIds("csc_indices.npy", {3}, {2, 1, 0});
  WriteIds("csc_edge_ids.npy", {3}, {1, 0, 2});
  const auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->node_types[0].num_nodes, 3);
  EXPECT_EQ(All(*graph->edge_types[0].from), (Ids{1, 2, 0}));
  EXPECT_EQ(All(*graph->edge_types[0].to), (Ids{0, 0, 2}));
  for (const char* name : {"indptr", "indices", "edge_ids"}) {
    std::filesystem::rename(folder_.File(std::string("csc_") + name + ".npy"),
                            folder_.File(std::string("csr_") + name + ".npy"));
  }
  const auto reversed = Read();
  ASSERT_TRUE(reversed.ok()) << reversed.status();
  EXPECT_EQ(All(*reversed->edge_types[0].to), (Ids{1, 2, 0}));
}

TEST_F(NpyFolderTest, NamesTheRowOfAnEndBeforeItWasOrdered) {
  WriteIds("csc_indptr.npy", {4}, {0, 2, 2, 3});
  WriteIds("csc_indices.npy", {3}, {2, 9, 0});
  WriteIds("csc_edge_ids.npy", {3}, {1, 0, 2});
  const auto graph = Read();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ErrorOf(LoadContent(*graph).status()),
            "csc_indices.npy, row 1: 9 is no node of type node; allowed: 0 to "
            "2");
}

TEST_F(NpyFolderTest, ReadsOneNpz) {
  const Ids ends = {0, 1, 1, 2};
  const TensorView tensor{"a__r__a/edge_index",
                          DType::kInt64,
                          {2, 2},
                          {reinterpret_cast<const uint8_t*>(ends.data()), 32}};
  ASSERT_TRUE(WriteNpz(folder_.File("g.npz"), {tensor}).ok());
  const auto graph = Read("g.npz");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->edge_types[0].name(), "a,r,a");
  EXPECT_EQ(All(*graph->edge_types[0].to), (Ids{1, 2}));
  EXPECT_EQ(graph->node_types[0].num_nodes, 3);
}

TEST_F(NpyFolderTest, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf(Read("none").status()), HasSubstr("none does not exist"));
  WriteIds("x.npy", {2}, {1, 2});
  EXPECT_THAT(ErrorOf(Read().status()),
              HasSubstr("the ends of edges of node,to,node are in no array; "
                        "allowed: edge_index"));
  WriteIds("src.npy", {2}, {0, 1});
  EXPECT_THAT(ErrorOf(Read().status()), HasSubstr("one array of two"));
  WriteIds("dst.npy", {3}, {0, 1, 1});
  EXPECT_THAT(ErrorOf(Read().status()),
              HasSubstr("have 2 sources and 3 destinations"));
  WriteIds("dst.npy", {2}, {0, 1});
  EXPECT_TRUE(Read().ok());
  WriteIds("y.npy", {3}, {0, 1, 1});
  EXPECT_THAT(ErrorOf(Read().status()),
              HasSubstr("nodes of type node are 2 by x.npy, row 0, but 3 by "
                        "y.npy, row 0"));
  WriteIds("y.npy", {0}, {});
  EXPECT_THAT(ErrorOf(Read().status()), HasSubstr("0 by y.npy, row 0"));
  std::filesystem::remove(folder_.File("y.npy"));
  WriteIds("num_nodes.npy", {0}, {});
  EXPECT_EQ(ErrorOf(Read().status()),
            "num_nodes.npy has 0 numbers; allowed: one, the number of nodes");
  WriteIds("num_nodes.npy", {1}, {-2});
  EXPECT_THAT(ErrorOf(Read().status()), HasSubstr("num_nodes.npy is -2; "));
  std::filesystem::remove(folder_.File("num_nodes.npy"));
  WriteMask("train_mask.npy", {1});
  EXPECT_THAT(ErrorOf(Read().status()),
              HasSubstr("train_mask.npy, row 0 begins a mask of 1 rows; "
                        "wanted: 2"));
  WriteIds("train_idx.npy", {1}, {5});
  EXPECT_THAT(ErrorOf(Read().status()), HasSubstr("allowed: one of them"));
  std::filesystem::remove(folder_.File("train_mask.npy"));
  EXPECT_EQ(ErrorOf(Read().status()),
            "train_idx.npy, row 0: 5 is no node of type node; allowed: 0 to 1");
  std::filesystem::remove(folder_.File("train_idx.npy"));
  WriteArray<float>("edge_time.npy", {'f', 4}, {2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(ErrorOf(Read().status()),
              HasSubstr("edge_time.npy is float32 of width 2; allowed: one "
                        "whole number"));
  std::filesystem::remove(folder_.File("edge_time.npy"));
  options_.edge_masks = {"recent"};
  EXPECT_THAT(ErrorOf(Read().status()), HasSubstr("--edge-masks recent"));
  options_.edge_masks.clear();
  options_.layout.ids = "string";
  EXPECT_THAT(ErrorOf(Read().status()), HasSubstr("--format npy with --ids"));
}

}  // namespace
}  // namespace tributary
