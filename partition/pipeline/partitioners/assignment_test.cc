#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/tensor/npy.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/source/testing/memory_column.h"

namespace tributary {
namespace {

class AssignmentTest : public testing::Test {
 protected:
  std::string WriteText(const std::string& name, const std::string& text) {
    std::ofstream(folder_.File(name), std::ios::binary) << text;
    return folder_.File(name);
  }
  template <typename T>
  std::string WriteNpy(const std::string& name, NpyType type,
                       const std::vector<T>& values) {
    std::string text =
        FormatNpyHeader(type, {static_cast<int64_t>(values.size())});
    text.append(reinterpret_cast<const char*>(values.data()),
                values.size() * sizeof(T));
    return WriteText(name, text);
  }
  static absl::StatusOr<NodePlan> PlanBy(const GraphSource& graph,
                                         const std::string& path) {
    PartitionOptions options;
    options.method = "assignment";
    options.num_partitions = 3;
    options.assignment = path;
    return PlanSource(graph, options, {});
  }
  static void ExpectPlan(const GraphSource& graph, const std::string& path,
                         const std::vector<std::vector<uint16_t>>& expected) {
    const auto plan = PlanBy(graph, path);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->partition_of, expected);
    EXPECT_EQ(plan->method, "assignment");
  }
  static void ExpectError(const GraphSource& graph, const std::string& path,
                          absl::StatusCode code, const std::string& message) {
    const absl::Status status = PlanBy(graph, path).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_EQ(std::string(status.message()), message);
  }

  const GraphSource graph_ = MakeSource(4, {});
  const TemporaryFolder folder_;
};

GraphSource TwoTypes() {
  GraphSource graph;
  graph.node_types = {{"a", 2, nullptr, nullptr, nullptr},
                      {"b.c", 3, nullptr, nullptr, nullptr}};
  return graph;
}

TEST_F(AssignmentTest, ReadsNpyOfAnyWholeNumbersAndText) {
  const std::vector<std::vector<uint16_t>> expected = {{0, 2, 1, 2}};
  ExpectPlan(graph_, WriteNpy<int64_t>("i8.npy", {'i', 8}, {0, 2, 1, 2}),
             expected);
  ExpectPlan(graph_, WriteNpy<uint16_t>("u2.npy", {'u', 2}, {0, 2, 1, 2}),
             expected);
  ExpectPlan(graph_, WriteNpy<int8_t>("i1.npy", {'i', 1}, {0, 2, 1, 2}),
             expected);
  ExpectPlan(graph_, WriteText("graph.part.3", "0\n2\n1\n2\n"), expected);
  gzFile file = gzopen(folder_.File("p.txt.gz").c_str(), "wb");
  gzwrite(file, "0\n2\n1\n2", 7);
  gzclose(file);
  ExpectPlan(graph_, folder_.File("p.txt.gz"), expected);
}

TEST_F(AssignmentTest, ReadsAFolderByType) {
  WriteNpy<int32_t>("a.npy", {'i', 4}, {2, 0});
  WriteText("b.c.txt", "1\n1\n0\n");
  WriteText("metadata.json", "{}");
  WriteText("a.ranks.npy", "as in node_map");
  ExpectPlan(TwoTypes(), folder_.path(), {{2, 0}, {1, 1, 0}});
}

TEST_F(AssignmentTest, ReadsAFolderByThePathsOfTypes) {
  GraphSource graph = TwoTypes();
  graph.node_types[0].name = "/a/b";
  graph.node_types[1].name = std::string(255, 'z');
  WriteNpy<int32_t>(",2fa,2fb.npy", {'i', 4}, {2, 0});
  const std::string start = std::string(198, 'z') + ",+/";
  std::filesystem::create_directory(folder_.File(start));
  WriteText(start + std::string(57, 'z') + ".txt", "1\n1\n0\n");
  WriteText(",2fa,2fb.ranks.npy", "as in node_map");
  std::filesystem::create_directory(folder_.File("others"));
  WriteText("others/c.npy", "of no type");
  ExpectPlan(graph, folder_.path(), {{2, 0}, {1, 1, 0}});
}

TEST_F(AssignmentTest, ATypeMayBeCalledAsTheRanksOfAnother) {
  GraphSource graph = TwoTypes();
  graph.node_types[1].name = "a.ranks";
  WriteNpy<int32_t>("a.npy", {'i', 4}, {2, 0});
  WriteText("a.ranks.txt", "1\n1\n0\n");
  ExpectPlan(graph, folder_.path(), {{2, 0}, {1, 1, 0}});
  // A node_map has both.
  WriteText("a,2eranks.txt", "0\n1\n0\n");
  ExpectPlan(graph, folder_.path(), {{2, 0}, {0, 1, 0}});
}

TEST_F(AssignmentTest, NamesRowsThatAreWrong) {
  using absl::StatusCode;
  std::string path = WriteNpy<int64_t>("i8.npy", {'i', 8}, {0, 2, 3, 2});
  ExpectError(graph_, path, StatusCode::kOutOfRange,
              path + ", row 2: partition 3; allowed: 0 to 2 (--num-parts 3)");
  path = WriteNpy<int64_t>("neg.npy", {'i', 8}, {0, -1, 3, 2});
  ExpectError(graph_, path, StatusCode::kOutOfRange,
              path + ", row 1: partition -1; allowed: 0 to 2 (--num-parts 3)");
  path = WriteText("t", "0\n1\n7\n2\n");
  ExpectError(graph_, path, StatusCode::kOutOfRange,
              path + " line 3: partition 7; allowed: 0 to 2 (--num-parts 3)");
  path = WriteText("t", "0\nx\n");
  ExpectError(graph_, path, StatusCode::kInvalidArgument,
              path + " line 2: no whole number; allowed: one partition a line");
  path = WriteText("t", "0\n1\n1\n");
  ExpectError(graph_, path, StatusCode::kInvalidArgument,
              path +
                  " has 3 rows; allowed: one for each of the 4 nodes of the "
                  "type node");
  path = WriteText("t", "0\n1\n1\n2\n0\n");
  ExpectError(graph_, path, StatusCode::kInvalidArgument,
              path + " line 5: there are only 4 nodes of the type node");
  path = WriteNpy<float>("f.npy", {'f', 4}, {0, 1, 1, 0});
  ExpectError(graph_, path, StatusCode::kInvalidArgument,
              path +
                  " is float32 of width 1; allowed: one whole number a row, "
                  "as a.astype(np.int64) makes it");
}

TEST_F(AssignmentTest, NamesFilesThatAreWrong) {
  using absl::StatusCode;
  const GraphSource two = TwoTypes();
  const std::string a = WriteNpy<int32_t>("a.npy", {'i', 4}, {2, 0});
  ExpectError(two, a, StatusCode::kInvalidArgument,
              "--assignment " + a +
                  " is one file; the graph has 2 node types\nallowed: a folder "
                  "with TYPE.npy for a, b.c");
  ExpectError(
      two, folder_.path(), StatusCode::kNotFound,
      "--assignment " + folder_.path() + " has no b,2ec.npy, .txt or .txt.gz");
  WriteText("b.txt", "0\n");
  ExpectError(two, folder_.path(), StatusCode::kInvalidArgument,
              "--assignment " + folder_.File("b.txt") +
                  ": the graph has no node type b\nallowed: a, b.c");
  std::filesystem::remove(folder_.File("b.txt"));
  WriteText("a.txt", "0\n");
  ExpectError(
      two, folder_.path(), StatusCode::kInvalidArgument,
      "--assignment " + folder_.path() + " has two files of the type a");
  EXPECT_EQ(PlanBy(graph_, folder_.File("none")).status().code(),
            StatusCode::kNotFound);
}

TEST(PartitionOptionsTest, RefusesOptionsOfOtherMethods) {
  const auto error_of = [](PartitionOptions options) {
    return std::string(CheckPartitionOptions(options).message());
  };
  PartitionOptions random;
  random.balance.nodes = true;
  EXPECT_EQ(error_of(random),
            "--balance is not for --method random\nallowed with: metis, ldg");
  PartitionOptions ldg;
  ldg.method = "ldg";
  ldg.minimize_volume = true;
  EXPECT_EQ(error_of(ldg),
            "--objective volume is not for --method ldg\nallowed with: metis");
  ldg.minimize_volume = false;
  ldg.imbalance_permille = 1000;
  EXPECT_EQ(error_of(ldg), "--imbalance 1; allowed: 1.001 to 100");
  ldg.imbalance_permille = 1001;
  EXPECT_EQ(error_of(ldg), "");
  PartitionOptions none;
  none.method = "assignment";
  EXPECT_EQ(error_of(none),
            "--method assignment needs --assignment FILE or FOLDER");
  EXPECT_EQ(ParseBalance("nodes,size").status().message(),
            "--balance has the name \"size\"\nallowed: nodes, edges, train, "
            "types, separated by commas");
  EXPECT_EQ(ParseBalance("types,edges")->ToText(), "edges,types");
}

}  // namespace
}  // namespace tributary
