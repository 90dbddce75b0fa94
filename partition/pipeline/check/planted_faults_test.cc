// Plants faults in a written folder, and looks for each with the checks of
// `tributary verify`. Checksums and digests are made right again where they
// would find a fault first, so that each check of meaning is proven too.
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/read_back.h"
#include "partition/pipeline/check/sample_check.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/inputs/out_edges.h"
#include "partition/source/testing/memory_column.h"
#include "partition/writer/content_digest.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

using testing::HasSubstr;

// Partition 0 holds nodes 0 and 2 (internal 0, 1), partition 1 nodes 1 and 3
// (2, 3). Row 0 of partition 1 is node 1, with edge 0 from node 0 and edge 1
// from node 2; row 1 is node 3 with edge 2, a loop. Edge 3 leads into node 0.
GraphSpec Plain() {
  return {.num_nodes = 4,
          .edges = {{0, 1}, {2, 1}, {3, 3}, {1, 0}},
          .num_partitions = 2,
          .x = {1, 2, 3, 4},
          .y = {0, 1, 0, 1},
          .edge_attr = {1, 2, 3, 4},
          .splits = {{"a/train", {0, 1}}},
          .edge_splits = {{"b/test", {0, 1, 0, 2, 2, -1}}}};
}

// The same with every column that there is, and arrays derived from them.
GraphSpec Full() {
  GraphSpec spec = Plain();
  spec.node_time = {5, 6, 7, 8};
  spec.weight = {1, 2, 0, 4};
  spec.edge_time = {20, 10, 30, 40};
  spec.masks = {{"test", {0, 0, 0, 1}}, {"train", {1, 0, 1, 1}}};
  spec.neighbor_ids = spec.degrees = spec.edge_index = true;
  return spec;
}

template <typename T>
ColumnPtr ColumnOf(DType dtype, int64_t dim, std::vector<T> values) {
  if (values.empty()) return nullptr;
  return std::make_shared<MemoryColumn<T>>(ColumnSchema{dtype, dim},
                                           std::move(values));
}

// The input that the folder was made from.
GraphSource SourceOf(const GraphSpec& spec) {
  GraphSource source;
  source.node_types.push_back(
      {.name = "node",
       .num_nodes = spec.num_nodes,
       .x = ColumnOf(DType::kFloat32, spec.x_dim, spec.x),
       .y = ColumnOf(DType::kInt64, 0, spec.y),
       .time = ColumnOf(DType::kInt64, 0, spec.node_time)});
  EdgeSource edges{.src = "node", .rel = "to", .dst = "node"};
  edges.add_reverse = spec.add_reverse;
  edges.dedupe = spec.dedupe;
  std::vector<int64_t> from, to;
  for (const auto& [u, v] : spec.edges) {
    from.push_back(u);
    to.push_back(v);
  }
  edges.from = MemoryIds(from);
  edges.to = MemoryIds(to);
  edges.edge_attr =
      ColumnOf(DType::kFloat32, spec.edge_attr_dim, spec.edge_attr);
  edges.weight = ColumnOf(DType::kFloat64, 0, spec.weight);
  edges.time = ColumnOf(DType::kInt64, 0, spec.edge_time);
  for (const auto& [name, mask] : spec.masks) {
    edges.masks[name] = ColumnOf(DType::kBool, 0, mask);
  }
  source.edge_types.push_back(edges);
  for (const auto& [name, ids] : spec.splits) {
    const size_t slash = name.find('/');
    source.splits.push_back({.scheme = name.substr(0, slash),
                             .type = "node",
                             .name = name.substr(slash + 1),
                             .nodes = ids});
  }
  for (const auto& [name, ids] : spec.edge_splits) {
    const size_t slash = name.find('/');
    SplitSource split{.scheme = name.substr(0, slash),
                      .type = "node,to,node",
                      .name = name.substr(slash + 1)};
    for (size_t i = 0; i < ids.size(); i += kSplitEdgeNumbers) {
      split.from.push_back(ids[i]);
      split.to.push_back(ids[i + 1]);
    }
    source.splits.push_back(split);
  }
  return source;
}

// A folder to plant faults in.
class Folder {
 public:
  explicit Folder(const GraphSpec& spec) { WriteGraphTo(spec, path_); }
  explicit Folder(const GraphContent& content) {
    const auto written = WriteGraph(content, {2, "test", {{0, 1, 0, 1}}}, path_,
                                    {.made_by = "test", .flush = false});
    EXPECT_TRUE(written.ok()) << written.status();
  }

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

  template <typename T>
  void Set(const std::string& file, size_t element, T value) {
    std::string text = Read(file);
    const size_t data = text.find('\n') + 1;
    memcpy(text.data() + data + element * sizeof(T), &value, sizeof(T));
    Write(file, text);
  }
  void Cut(const std::string& file) {
    Write(file, Read(file).substr(0, Read(file).size() - 8));
  }
  void Remove(const std::string& file) {
    std::filesystem::remove(File(file));
  }
  void Edit(const std::function<void(GraphSchema&)>& change) {
    GraphSchema schema = *GraphSchema::FromJson(Read("graph.json"));
    change(schema);
    Write("graph.json", schema.ToJson());
  }

  // Makes checksums and the layout digest right.
  void Seal() {
    Edit([this](GraphSchema& schema) {
      for (FileSchema& file : schema.files) {
        const std::string text = Read(file.path);
        file.bytes = text.size();
        file.crc32c = Crc32c(
            {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      }
      schema.layout_digest = schema.ComputeLayoutDigest();
    });
  }
  // Makes the content digest right too, as if the graph had always been so.
  void SealContent() {
    Seal();
    const auto content = ReadBack(*Graph::Open(path_));
    ASSERT_TRUE(content.ok()) << content.status();
    Edit([&](GraphSchema& schema) {
      schema.content_digest = ComputeContentDigest(*content);
      schema.layout_digest = schema.ComputeLayoutDigest();
    });
  }

 private:
  std::string Read(const std::string& file) const {
    return *ReadFile(File(file), 1 << 20);
  }
  void Write(const std::string& file, const std::string& text) {
    std::ofstream(File(file), std::ios::binary) << text;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.File("graph");
};

constexpr char kNodes0[] = "part-0/nodes/node/";
constexpr char kEdges0[] = "part-0/edges/node__to__node/";
constexpr char kEdges1[] = "part-1/edges/node__to__node/";

std::string In(const char* folder, const char* file) {
  return std::string(folder) + file + ".npy";
}

struct Fault {
  std::string name;
  std::function<void(Folder&)> plant;
  std::string found;  // in the message of the check that finds it
};

absl::Status Verify(const std::string& folder) {
  return VerifyGraph(folder).status();
}

// Faults that the folder alone shows.
std::vector<Fault> FaultsOfTheFolder() {
  return {
      {"a byte has changed",
       [](Folder& f) { f.Set<uint8_t>(In(kNodes0, "x"), 0, 1); }, "CRC32C"},
      {"a file is cut", [](Folder& f) { f.Cut(In(kNodes0, "x")); },
       "bytes; graph.json says"},
      {"a file is missing", [](Folder& f) { f.Remove(In(kEdges0, "indices")); },
       "part-0/edges/node__to__node/indices.npy"},
      {"graph.json was edited",
       [](Folder& f) { f.Edit([](GraphSchema& s) { s.name = "other"; }); },
       "layout_digest"},
      {"rows overlap",
       [](Folder& f) {
         f.Set<uint64_t>(In(kEdges1, "indptr"), 1, 4);
         f.Seal();
       },
       "indptr"},
      {"a node is twice in a partition",
       [](Folder& f) {
         f.Set<int64_t>(In(kNodes0, "orig_id"), 1, 0);
         f.Seal();
       },
       "orig_id does not ascend"},
      {"a node is in two partitions",
       [](Folder& f) {
         f.Set<int64_t>(In(kNodes0, "orig_id"), 1, 3);
         f.Seal();
       },
       "node_map has node 3 in partition 1"},
      {"the node map names another partition",
       [](Folder& f) {
         f.Set<uint8_t>("node_map/node.npy", 2, 1);
         f.Seal();
       },
       "partition 0, row 1: node_map has node 2 in partition 1"},
      {"a rank is wrong",
       [](Folder& f) {
         f.Set<uint64_t>("node_map/node.ranks.npy", 0, 1);
         f.Seal();
       },
       "node_map has node 0 in partition 0, row 1"},
      {"an edge comes from no node",
       [](Folder& f) {
         f.Set<uint32_t>(In(kEdges1, "indices"), 0, 4);
         f.Seal();
       },
       "neighbour 4 of 4"},
      {"edges are out of order",
       [](Folder& f) {
         f.Set<uint32_t>(In(kEdges1, "indices"), 0, 3);
         f.Seal();
       },
       "out of canonical order"},
      {"an edge is in two partitions",
       [](Folder& f) {
         f.Set<uint32_t>(In(kEdges0, "edge_id"), 0, 2);
         f.Seal();
       },
       "edge id 2 twice"},
      {"a sum of weights is wrong",
       [](Folder& f) {
         f.Set<uint64_t>(In(kEdges1, "weight_sum"), 1, 7);
         f.Seal();
       },
       "weight_sum of position 1 is 7"},
      {"an order by time lacks an edge",
       [](Folder& f) {
         f.Set<uint32_t>(In(kEdges1, "edge_time_position"), 1, 1);
         f.Seal();
       },
       "edge_time_position 1 of rank 1"},
      {"a copy of a node's time is wrong",
       [](Folder& f) {
         f.Set<int64_t>(In(kEdges1, "neighbor_time"), 0, 4);
         f.Seal();
       },
       "neighbor_time of position 0 is 4"},
      {"a copy of a node's id is wrong",
       [](Folder& f) {
         f.Set<uint32_t>(In(kEdges1, "neighbor_id"), 1, 3);
         f.Seal();
       },
       "neighbor_id of position 1 is 3"},
      {"a mask is neither true nor false",
       [](Folder& f) {
         f.Set<uint8_t>(In(kEdges1, "mask.train"), 1, 2);
         f.Seal();
       },
       "mask train of position 1 is 2"},
      {"a degree is wrong",
       [](Folder& f) {
         f.Set<uint32_t>("degrees/node__to__node.in.npy", 1, 3);
         f.Seal();
       },
       "in-degree of node 1 is 3"},
      {"an edge is not where its id says",
       [](Folder& f) {
         f.Set<uint32_t>("edge_index/node__to__node.position.npy", 2, 0);
         f.Seal();
       },
       "edge_index does not have edge 2"},
      {"a split has no node",
       [](Folder& f) {
         f.Set<int64_t>("splits/a/node/train.npy", 0, 4);
         f.Seal();
       },
       "4 is no node"},
      {"a feature has changed, checksums have not been forgotten",
       [](Folder& f) {
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
       [](Folder& f) {
         f.Set<float>(In(kNodes0, "x"), 0, 3);
         f.Set<float>(In(kNodes0, "x"), 1, 1);
       },
       "x of node of node 0"},
      {"a label is wrong",
       [](Folder& f) { f.Set<int64_t>(In(kNodes0, "y"), 1, 1); },
       "y of node of node 2"},
      {"an edge's attributes are another's",
       [](Folder& f) { f.Set<float>(In(kEdges1, "edge_attr"), 1, 1); },
       "edge 1 from 2 to 1"},
      {"an edge comes from another node",
       [](Folder& f) { f.Set<uint32_t>(In(kEdges1, "indices"), 0, 2); },
       "edge 0 from 1 to 1 in the graph|edge 0 from 0 to 1 (memory, row 0)"},
      {"an edge leads to another node",
       [](Folder& f) { f.Set<uint64_t>(In(kEdges1, "indptr"), 1, 1); },
       "edges into node 1: 1 in the graph|edge 1 from 2 to 1 (memory, row 1)"},
      {"two edges have each other's ids",
       [](Folder& f) {
         f.Set<uint32_t>(In(kEdges1, "edge_id"), 0, 1);
         f.Set<uint32_t>(In(kEdges1, "edge_id"), 1, 0);
       },
       "edge 1 from 0 to 1 in the graph|edge 0 from 0 to 1 (memory, row 0)"},
      {"a split has another node",
       [](Folder& f) { f.Set<int64_t>("splits/a/node/train.npy", 0, 2); },
       "split a/train"},
      {"a split has another edge",
       [](Folder& f) {
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
    Folder folder(Full());
    ASSERT_TRUE(Verify(folder.path()).ok());
    fault.plant(folder);
    ExpectFound(Verify(folder.path()), fault.found);
    EXPECT_TRUE(names.insert(fault.name).second);
  }
}

TEST(PlantedFaults, BesideTheInputAreFoundByWholeAndSampledComparison) {
  for (const Fault& fault : FaultsBesideTheInput()) {
    SCOPED_TRACE(fault.name);
    Folder folder(Plain());
    fault.plant(folder);
    folder.SealContent();
    const auto content = VerifyGraph(folder.path());
    ASSERT_TRUE(content.ok()) << content.status();  // a sound graph
    ExpectFound(CompareContent(*content, MakeContent(Plain())), fault.found);
    ExpectFound(CompareSample(**Graph::Open(folder.path()), SourceOf(Plain()),
                              {.count = 100}),
                fault.found);
  }
}

// One more or one less, written as consistently as the writer does.
TEST(PlantedFaults, MissingAndAdditionalEdgesAreFound) {
  GraphSpec less = Plain(), more = Plain();
  less.edges.pop_back();
  less.edge_attr.pop_back();
  more.edges.push_back({1, 0});
  more.edge_attr.push_back(4);
  for (const GraphSpec& spec : {less, more}) {
    const Folder folder(spec);
    const auto content = VerifyGraph(folder.path());
    ASSERT_TRUE(content.ok()) << content.status();
    ExpectFound(CompareContent(*content, MakeContent(Plain())),
                "edges into node 0");
    ExpectFound(CompareSample(**Graph::Open(folder.path()), SourceOf(Plain()),
                              {.count = 1}),
                "edges of node,to,node");
  }
}

TEST(PlantedFaults, AReverseThatIsNoneIsFound) {
  GraphContent content = MakeContent(Plain());
  ASSERT_TRUE(AddOutEdges(&content).ok());
  Folder folder(content);
  ASSERT_TRUE(Verify(folder.path()).ok());
  folder.Set<uint32_t>("part-0/edges/node__rev_to__node/indices.npy", 0, 0);
  folder.SealContent();
  ExpectFound(Verify(folder.path()),
              "the edges of node,rev_to,node into node 0 are not those of");
}

TEST(CompareSample, PassesWhatWasWritten) {
  GraphSpec reversed = Full();
  reversed.edge_splits.clear();
  reversed.add_reverse = true;
  GraphSpec deduped = reversed;
  deduped.edges.push_back({0, 1});
  deduped.edges.push_back({1, 0});
  for (auto* column : {&deduped.edge_attr}) column->resize(6, 9);
  deduped.weight.resize(6, 9);
  deduped.edge_time.resize(6, 9);
  for (auto& [name, mask] : deduped.masks) mask.resize(6, 1);
  deduped.dedupe = true;
  for (const GraphSpec& spec : {Plain(), Full(), reversed, deduped}) {
    const Folder folder(spec);
    const auto graph = Graph::Open(folder.path());
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (const uint64_t count : {1, 3, 1000}) {
      const absl::Status same =
          CompareSample(**graph, SourceOf(spec), {.count = count});
      EXPECT_TRUE(same.ok()) << same;
    }
  }
}

TEST(CompareSample, FindsChangedColumnsOfEdgesAndNodes) {
  const std::pair<void (*)(GraphSpec&), std::string> cases[] = {
      {[](GraphSpec& s) { s.node_time[3] = 9; }, "time of node of node 3"},
      {[](GraphSpec& s) { s.node_time.clear(); },
       "time of node: int64 of width 0 in the graph, none in the input"},
      {[](GraphSpec& s) { s.weight[1] = 2.5; },
       "edge 1 from 2 to 1: weight (memory, row 1)"},
      {[](GraphSpec& s) { s.edge_time[3] = 41; }, "edge 3 from 1 to 0: time"},
      {[](GraphSpec& s) { s.masks["train"][1] = 1; },
       "edge 1 from 2 to 1: mask train"},
      {[](GraphSpec& s) { s.masks.erase("test"); },
       "mask test of node,to,node: bool of width 0 in the graph, none"},
      {[](GraphSpec& s) { s.edge_attr.clear(); },
       "edge_attr of node,to,node: float32 of width 1 in the graph, none"},
      {[](GraphSpec& s) { s.num_nodes = 5; }, "nodes of node: 4 in the graph"},
  };
  const Folder folder(Full());
  const auto graph = Graph::Open(folder.path());
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const auto& [change, what] : cases) {
    GraphSpec spec = Full();
    change(spec);
    const absl::Status status =
        CompareSample(**graph, SourceOf(spec), {.count = 100});
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << what;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }
}

TEST(CompareSample, LooksAtDifferentItemsByItsSeed) {
  GraphSpec spec{.num_nodes = 1000, .edges = {{0, 1}}, .num_partitions = 2};
  spec.x.resize(1000, 1);
  const Folder folder(spec);
  const auto graph = Graph::Open(folder.path());
  ASSERT_TRUE(graph.ok()) << graph.status();
  spec.x[500] = 2;
  int found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    found += CompareSample(**graph, SourceOf(spec),
                           {.count = 100, .random_seed = seed})
                     .ok()
                 ? 0
                 : 1;
  }
  // Binomial, 200 trials of 1/10: mean 20, deviation 4.2.
  EXPECT_GT(found, 3);
  EXPECT_LT(found, 45);
}

}  // namespace
}  // namespace tributary
