// Plants faults in a written folder, and looks for each with the checks of
// `tributary verify`. Checksums and digests are made right again where they
// would find a fault first, so that each check of meaning is proven too.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/pipeline/check/sample_check.h"
#include "partition/pipeline/check/testing/planted_folder.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/inputs/out_edges.h"

namespace tributary {
namespace {

using testing::HasSubstr;

constexpr char kNodes0[] = "part-0/nodes/node/";
constexpr char kEdges0[] = "part-0/edges/node__to__node/";
constexpr char kEdges1[] = "part-1/edges/node__to__node/";

std::string In(const char* folder, const char* file) {
  return std::string(folder) + file + ".npy";
}

struct Fault {
  std::string name;
  std::function<void(PlantedFolder&)> plant;
  std::string found;  // in the message of the check that finds it
};

absl::Status Verify(const std::string& folder) {
  return VerifyGraph(folder).status();
}

// Faults that the folder alone shows.
std::vector<Fault> FaultsOfTheFolder() {
  return {
      {"a byte has changed",
       [](PlantedFolder& f) { f.Set<uint8_t>(In(kNodes0, "x"), 0, 1); },
       "CRC32C"},
      {"a file is cut", [](PlantedFolder& f) { f.Cut(In(kNodes0, "x")); },
       "bytes; graph.json says"},
      {"a file is missing",
       [](PlantedFolder& f) { f.Remove(In(kEdges0, "indices")); },
       "part-0/edges/node__to__node/indices.npy"},
      {"graph.json was edited",
       [](PlantedFolder& f) {
         f.Edit([](GraphSchema& s) { s.name = "other"; });
       },
       "layout_digest"},
      {"rows overlap",
       [](PlantedFolder& f) {
         f.Set<uint64_t>(In(kEdges1, "indptr"), 1, 4);
         f.Seal();
       },
       "indptr"},
      {"a node is twice in a partition",
       [](PlantedFolder& f) {
         f.Set<int64_t>(In(kNodes0, "orig_id"), 1, 0);
         f.Seal();
       },
       "orig_id does not ascend"},
      {"a node is in two partitions",
       [](PlantedFolder& f) {
         f.Set<int64_t>(In(kNodes0, "orig_id"), 1, 3);
         f.Seal();
       },
       "node_map has node 3 in partition 1"},
      {"the node map names another partition",
       [](PlantedFolder& f) {
         f.Set<uint8_t>("node_map/node.npy", 2, 1);
         f.Seal();
       },
       "partition 0, row 1: node_map has node 2 in partition 1"},
      {"a rank is wrong",
       [](PlantedFolder& f) {
         f.Set<uint64_t>("node_map/node.ranks.npy", 0, 1);
         f.Seal();
       },
       "node_map has node 0 in partition 0, row 1"},
      {"an edge comes from no node",
       [](PlantedFolder& f) {
         f.Set<uint32_t>(In(kEdges1, "indices"), 0, 4);
         f.Seal();
       },
       "neighbour 4 of 4"},
      {"edges are out of order",
       [](PlantedFolder& f) {
         f.Set<uint32_t>(In(kEdges1, "indices"), 0, 3);
         f.Seal();
       },
       "out of canonical order"},
      {"an edge is in two partitions",
       [](PlantedFolder& f) {
         f.Set<uint32_t>(In(kEdges0, "edge_id"), 0, 2);
         f.Seal();
       },
       "edge id 2 twice"},
      {"a sum of weights is wrong",
       [](PlantedFolder& f) {
         f.Set<uint64_t>(In(kEdges1, "weight_sum"), 1, 7);
         f.Seal();
       },
       "weight_sum of position 1 is 7"},
      {"an order by time lacks an edge",
       [](PlantedFolder& f) {
         f.Set<uint32_t>(In(kEdges1, "edge_time_position"), 1, 1);
         f.Seal();
       },
       "edge_time_position 1 of rank 1"},
      {"a copy of a node's time is wrong",
       [](PlantedFolder& f) {
         f.Set<int64_t>(In(kEdges1, "neighbor_time"), 0, 4);
         f.Seal();
       },
       "neighbor_time of position 0 is 4"},
      {"a copy of a node's id is wrong",
       [](PlantedFolder& f) {
         f.Set<uint32_t>(In(kEdges1, "neighbor_id"), 1, 3);
         f.Seal();
       },
       "neighbor_id of position 1 is 3"},
      {"a mask is neither true nor false",
       [](PlantedFolder& f) {
         f.Set<uint8_t>(In(kEdges1, "mask.train"), 1, 2);
         f.Seal();
       },
       "mask train of position 1 is 2"},
      {"a degree is wrong",
       [](PlantedFolder& f) {
         f.Set<uint32_t>("degrees/node__to__node.in.npy", 1, 3);
         f.Seal();
       },
       "in-degree of node 1 is 3"},
      {"an edge is not where its id says",
       [](PlantedFolder& f) {
         f.Set<uint32_t>("edge_index/node__to__node.position.npy", 2, 0);
         f.Seal();
       },
       "edge_index does not have edge 2"},
      {"a split has no node",
       [](PlantedFolder& f) {
         f.Set<int64_t>("splits/a/node/train.npy", 0, 4);
         f.Seal();
       },
       "4 is no node"},
      {"a feature has changed, checksums have not been forgotten",
       [](PlantedFolder& f) {
         f.Set<float>(In(kNodes0, "x"), 0, 7);
         f.Seal();
       },
       "the content's digest is"},
  };
}

// Faults of a folder that is a sound graph, though not that of its input.
std::vector<Fault> FaultsBesideTheInput() {
  return {
      {"a row of features is another node's",
       [](PlantedFolder& f) {
         f.Set<float>(In(kNodes0, "x"), 0, 3);
         f.Set<float>(In(kNodes0, "x"), 1, 1);
       },
       "x of node of node 0"},
      {"a label is wrong",
       [](PlantedFolder& f) { f.Set<int64_t>(In(kNodes0, "y"), 1, 1); },
       "y of node of node 2"},
      {"an edge's attributes are another's",
       [](PlantedFolder& f) { f.Set<float>(In(kEdges1, "edge_attr"), 1, 1); },
       "edge 1 from 2 to 1"},
      {"an edge comes from another node",
       [](PlantedFolder& f) { f.Set<uint32_t>(In(kEdges1, "indices"), 0, 2); },
       "edge 0 from 1 to 1 in the graph|edge 0 from 0 to 1 (memory, row 0)"},
      {"an edge leads to another node",
       [](PlantedFolder& f) { f.Set<uint64_t>(In(kEdges1, "indptr"), 1, 1); },
       "edges into node 1: 1 in the graph|edge 1 from 2 to 1 (memory, row 1)"},
      {"two edges have each other's ids",
       [](PlantedFolder& f) {
         f.Set<uint32_t>(In(kEdges1, "edge_id"), 0, 1);
         f.Set<uint32_t>(In(kEdges1, "edge_id"), 1, 0);
       },
       "edge 1 from 0 to 1 in the graph|edge 0 from 0 to 1 (memory, row 0)"},
      {"a split has another node",
       [](PlantedFolder& f) {
         f.Set<int64_t>("splits/a/node/train.npy", 0, 2);
       },
       "split a/train"},
      {"a split has another edge",
       [](PlantedFolder& f) {
         f.Set<int64_t>("splits/b/node__to__node/test.npy", 3, 1);
       },
       "split b/test"},
  };
}

void ExpectFound(const absl::Status& status, const std::string& found) {
  ASSERT_FALSE(status.ok()) << "not found";
  // Either of two texts.
  const size_t bar = found.find('|');
  EXPECT_THAT(std::string(status.message()),
              testing::AnyOf(HasSubstr(found.substr(0, bar)),
                             HasSubstr(found.substr(bar + 1))));
}

TEST(PlantedFaults, OfTheFolderAreFound) {
  std::set<std::string> names;
  for (const Fault& fault : FaultsOfTheFolder()) {
    SCOPED_TRACE(fault.name);
    PlantedFolder folder(FullSpec());
    ASSERT_TRUE(Verify(folder.path()).ok());
    fault.plant(folder);
    ExpectFound(Verify(folder.path()), fault.found);
    EXPECT_TRUE(names.insert(fault.name).second);
  }
}

TEST(PlantedFaults, BesideTheInputAreFoundByWholeAndSampledComparison) {
  for (const Fault& fault : FaultsBesideTheInput()) {
    SCOPED_TRACE(fault.name);
    PlantedFolder folder(PlainSpec());
    fault.plant(folder);
    folder.SealContent();
    const auto content = VerifyGraph(folder.path());
    ASSERT_TRUE(content.ok()) << content.status();  // a sound graph
    ExpectFound(CompareContent(*content, MakeContent(PlainSpec())),
                fault.found);
    ExpectFound(CompareSample(**Graph::Open(folder.path()),
                              SourceOf(PlainSpec()), {.count = 100}),
                fault.found);
  }
}

// One more or one less, written as consistently as the writer does.
TEST(PlantedFaults, MissingAndAdditionalEdgesAreFound) {
  GraphSpec less = PlainSpec(), more = PlainSpec();
  less.edges.pop_back();
  less.edge_attr.pop_back();
  more.edges.push_back({1, 0});
  more.edge_attr.push_back(4);
  for (const GraphSpec& spec : {less, more}) {
    const PlantedFolder folder(spec);
    const auto content = VerifyGraph(folder.path());
    ASSERT_TRUE(content.ok()) << content.status();
    ExpectFound(CompareContent(*content, MakeContent(PlainSpec())),
                "edges into node 0");
    ExpectFound(CompareSample(**Graph::Open(folder.path()),
                              SourceOf(PlainSpec()), {.count = 1}),
                "edges of node,to,node");
  }
}

TEST(PlantedFaults, AReverseThatIsNoneIsFound) {
  GraphContent content = MakeContent(PlainSpec());
  ASSERT_TRUE(AddOutEdges(&content).ok());
  PlantedFolder folder(content);
  ASSERT_TRUE(Verify(folder.path()).ok());
  folder.Set<uint32_t>("part-0/edges/node__rev_to__node/indices.npy", 0, 0);
  folder.SealContent();
  ExpectFound(Verify(folder.path()),
              "the edges of node,rev_to,node into node 0 are not those of");
}

}  // namespace
}  // namespace tributary
