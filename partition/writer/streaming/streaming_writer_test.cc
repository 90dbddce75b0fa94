#include "partition/writer/streaming/streaming_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/runtime/clock.h"
#include "common/runtime/fault_point.h"
#include "partition/format/graph.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/random_graph.h"
#include "partition/source/converted_column.h"
#include "partition/source/testing/memory_column.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

ColumnPtr Features(const std::vector<float>& values, int64_t dim, bool scaled) {
  if (values.empty()) return nullptr;
  const ColumnPtr column = MakeColumn(values, dim);
  return scaled ? ConvertColumn(column, DType::kInt8) : column;
}

template <typename T>
ColumnPtr Values(const std::vector<T>& values, int64_t dim = 0) {
  return values.empty() ? nullptr : MakeColumn(values, dim);
}

ColumnPtr Mask(const std::vector<uint8_t>& values) {
  if (values.empty()) return nullptr;
  return std::make_shared<MemoryColumn>(ColumnSchema{DType::kBool, 0}, values,
                                        "memory");
}

GraphSource SourceOf(const GraphSpec& spec) {
  GraphSource source;
  source.name = spec.name;
  source.node_types.push_back({.name = "node",
                               .num_nodes = spec.num_nodes,
                               .x = Features(spec.x, spec.x_dim, spec.scaled),
                               .y = Values(spec.y),
                               .time = Values(spec.node_time)});
  EdgeSource edges{.src = "node", .rel = "to", .dst = "node"};
  std::vector<int64_t> from, to;
  for (const auto& [u, v] : spec.edges) {
    from.push_back(u);
    to.push_back(v);
  }
  edges.from = MakeColumn<int64_t>(from);
  edges.to = MakeColumn<int64_t>(to);
  edges.add_reverse = spec.add_reverse;
  edges.dedupe = spec.dedupe;
  edges.edge_attr = Features(spec.edge_attr, spec.edge_attr_dim, spec.scaled);
  if (spec.weight_dtype == DType::kFloat32) {
    edges.weight =
        Values(std::vector<float>(spec.weight.begin(), spec.weight.end()));
  } else {
    edges.weight = Values(spec.weight);
  }
  edges.time = Values(spec.edge_time);
  for (const auto& [name, mask] : spec.masks) {
    if (!mask.empty()) edges.masks[name] = Mask(mask);
  }
  source.edge_types.push_back(edges);
  for (const auto& [name, ids] : spec.splits) {
    source.splits.push_back({.type = "node", .name = name, .nodes = ids});
  }
  return source;
}

// All files below a folder, by relative path.
std::map<std::string, std::string> FilesOf(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder)] = {
        std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

WriteOptions OptionsOf(const GraphSpec& spec) {
  return {.made_by = "test",
          .flush = false,
          .neighbor_ids = spec.neighbor_ids,
          .degrees = spec.degrees,
          .edge_index = spec.edge_index};
}

NodePlan PlanOf(const GraphSpec& spec) {
  return {spec.num_partitions, "test", {spec.partition_of}};
}

// What WriteGraph makes of the graph.
std::map<std::string, std::string> InMemory(const GraphSpec& spec) {
  const TemporaryFolder folder;
  const auto written = WriteGraph(MakeContent(spec), PlanOf(spec),
                                  folder.File("g"), OptionsOf(spec));
  EXPECT_TRUE(written.ok()) << written.status();
  return FilesOf(folder.File("g"));
}

StreamingBounds BoundsIn(const TemporaryFolder& folder, uint64_t range_bytes,
                         int threads) {
  fs::create_directories(folder.File("work"));
  return {.threads = threads,
          .work_folder = folder.File("work"),
          .range_bytes = range_bytes};
}

void ExpectSame(const std::map<std::string, std::string>& got,
                const std::map<std::string, std::string>& wanted) {
  for (const auto& [path, bytes] : wanted) {
    const auto it = got.find(path);
    ASSERT_NE(it, got.end()) << path;
    EXPECT_TRUE(it->second == bytes)
        << path
        << (path == "graph.json" ? "\n" + it->second + "\n" + bytes : "");
  }
  EXPECT_EQ(got.size(), wanted.size());
}

TEST(WriteGraphStreaming, WritesWhatTheWriterInMemoryWrites) {
  for (uint32_t seed = 0; seed < 64; ++seed) {
    SCOPED_TRACE(seed);
    const GraphSpec spec = RandomGraph(seed);
    if (spec.edges.empty()) continue;  // columns without rows: below
    const auto wanted = InMemory(spec);
    for (const uint64_t range_bytes : {uint64_t{1}, uint64_t{900}}) {
      const TemporaryFolder folder;
      const auto written = WriteGraphStreaming(
          SourceOf(spec), PlanOf(spec), folder.File("g"), OptionsOf(spec),
          BoundsIn(folder, range_bytes, 1 + static_cast<int>(seed % 2)));
      ASSERT_TRUE(written.ok()) << written.status();
      ExpectSame(FilesOf(folder.File("g")), wanted);
    }
  }
}

// Adds splits of edges to `spec`, as its definition has them: the split of an
// edge's ends names the edge of the lowest id, or -1; a split of rows names the
// rows' own edges, or, where equal edges are merged, the lowest id among them.
// Returns the same splits as a source has them.
std::vector<SplitSource> AddEdgeSplits(GraphSpec& spec, int64_t size,
                                       uint32_t seed) {
  std::map<std::pair<int64_t, int64_t>, int64_t> lowest;
  const int64_t per_row = spec.add_reverse ? 2 : 1;
  for (size_t i = 0; i < spec.edges.size(); ++i) {
    const auto [u, v] = spec.edges[i];
    const int64_t id = static_cast<int64_t>(i) * per_row;
    lowest.insert({{u, v}, id});
    if (spec.add_reverse) lowest.insert({{v, u}, id + 1});
  }
  std::mt19937 random(seed);
  const auto below = [&](size_t n) {
    return static_cast<int64_t>(random() % n);
  };
  SplitSource by_ends{.type = "node,to,node", .name = "test"};
  SplitSource by_row{.type = "node,to,node", .name = "valid"};
  for (int64_t i = 0; i < size; ++i) {
    by_row.rows.push_back(below(spec.edges.size()));
    const auto [u, v] = spec.edges[static_cast<size_t>(by_row.rows.back())];
    const int64_t own = by_row.rows.back() * per_row;
    const int64_t id = spec.dedupe ? lowest.at({u, v}) : own;
    for (const int64_t value : {u, v, id}) {
      spec.edge_splits["valid"].push_back(value);
    }
    // Every other one as likely as not is no edge.
    const int64_t from = i % 2 == 0 ? u : below(spec.num_nodes);
    const int64_t to = i % 2 == 0 ? v : below(spec.num_nodes);
    by_ends.from.push_back(from);
    by_ends.to.push_back(to);
    const auto found = lowest.find({from, to});
    for (const int64_t value :
         {from, to, found == lowest.end() ? -1 : found->second}) {
      spec.edge_splits["test"].push_back(value);
    }
  }
  return {by_ends, by_row};
}

void ExpectBothWritersAgree(GraphSpec spec, int64_t size_of_splits,
                            uint32_t seed, uint64_t range_bytes) {
  const auto splits = AddEdgeSplits(spec, size_of_splits, seed);
  GraphSource source = SourceOf(spec);
  source.splits.insert(source.splits.end(), splits.begin(), splits.end());
  const TemporaryFolder folder;
  const auto written = WriteGraphStreaming(
      source, PlanOf(spec), folder.File("g"), OptionsOf(spec),
      BoundsIn(folder, range_bytes, 1 + static_cast<int>(seed % 2)));
  ASSERT_TRUE(written.ok()) << written.status();
  ExpectSame(FilesOf(folder.File("g")), InMemory(spec));
}

TEST(WriteGraphStreaming, SplitsOfEdgesAreThoseOfTheDefinition) {
  for (uint32_t seed = 0; seed < 64; ++seed) {
    SCOPED_TRACE(seed);
    const GraphSpec spec = RandomGraph(seed);
    if (!spec.edges.empty()) ExpectBothWritersAgree(spec, 40, seed, 900);
  }
}

// More than each constant at which the writer begins another piece: blocks of
// 2^16 rows, splits whose rows are more than 4096 apart, files of a partition
// of more than 1 MiB.
GraphSpec LargeGraph(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) {
    return static_cast<int64_t>(random() % n);
  };
  GraphSpec spec{.num_nodes = 40000, .num_partitions = 3};
  spec.add_reverse = (seed & 1) != 0;
  spec.dedupe = (seed & 2) != 0;
  spec.weight_dtype = DType::kFloat32;
  spec.neighbor_ids = spec.degrees = spec.edge_index = true;
  spec.edge_attr_dim = 6;
  spec.x_dim = 24;
  for (int64_t i = 0; i < 150000; ++i) {
    // A third between few nodes, so that many of them are equal.
    const uint32_t nodes = i % 3 == 0 ? 100 : 40000;
    spec.edges.emplace_back(below(nodes), below(nodes));
    spec.weight.push_back(static_cast<double>(below(1000)));
    spec.edge_time.push_back(below(1000000));
    spec.masks["held_out"].push_back(static_cast<uint8_t>(below(2)));
    for (int64_t j = 0; j < spec.edge_attr_dim; ++j) {
      spec.edge_attr.push_back(static_cast<float>(below(1 << 20)));
    }
  }
  for (int64_t v = 0; v < spec.num_nodes; ++v) {
    spec.partition_of.push_back(static_cast<uint16_t>(below(3)));
    spec.y.push_back(below(50));
    spec.node_time.push_back(below(1000));
    for (int64_t j = 0; j < spec.x_dim; ++j) {
      spec.x.push_back(static_cast<float>(below(1 << 20)));
    }
  }
  return spec;
}

TEST(WriteGraphStreaming, PiecesOfLargeGraphsAreInTheirPlaces) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    ExpectBothWritersAgree(LargeGraph(seed), 20000, seed, 1 << 20);
  }
}

// Gives the types names that no path could have.
template <typename Graph>
Graph Renamed(Graph graph) {
  const std::string node(255, '.');
  graph.heterogeneous = true;
  graph.node_types[0].name = node;
  for (auto& edges : graph.edge_types) {
    edges.src = edges.dst = node;
    edges.rel = "../x y_";
  }
  for (auto& split : graph.splits) split.type = node;
  return graph;
}

TEST(WriteGraphStreaming, NamesOfTypesAreEscapedAlike) {
  GraphSpec spec{.num_nodes = 4,
                 .edges = {{0, 1}, {2, 1}, {3, 3}, {1, 0}},
                 .num_partitions = 2,
                 .x = {1, 2, 3, 4},
                 .splits = {{"train", {0, 1}}}};
  spec.partition_of = {0, 1, 0, 1};
  spec.neighbor_ids = spec.degrees = spec.edge_index = true;
  const TemporaryFolder folder;
  const auto in_memory = WriteGraph(Renamed(MakeContent(spec)), PlanOf(spec),
                                    folder.File("memory"), OptionsOf(spec));
  ASSERT_TRUE(in_memory.ok()) << in_memory.status();
  const auto streamed = WriteGraphStreaming(
      Renamed(SourceOf(spec)), PlanOf(spec), folder.File("g"), OptionsOf(spec),
      BoundsIn(folder, 1, 1));
  ASSERT_TRUE(streamed.ok()) << streamed.status();
  ExpectSame(FilesOf(folder.File("g")), FilesOf(folder.File("memory")));
  const auto graph = Graph::Open(folder.File("g"), {.verify = true});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ((*graph)->schema().edge_types[0].rel, "../x y_");
}

// A clock that stands still until it is set on.
class SetClock final : public Clock {
 public:
  absl::Time Now() const override {
    return absl::UnixEpoch() + absl::Hours(hours_.load());
  }
  void SetOnAnHour() { ++hours_; }

 private:
  std::atomic<int64_t> hours_{0};
};

// The state is noted after each range but those of one hour, so that runs go on
// in the middle of a pass. Without the last range in the state, it was appended
// twice.
TEST(WriteGraphStreaming, GoesOnFromEachNotedState) {
  for (const uint32_t seed : {31u, 40u}) {
    const GraphSpec spec = RandomGraph(seed);
    const auto wanted = InMemory(spec);
    int resumed = 0;
    bool hit = true;
    for (int failing = 0; hit; ++failing) {
      SCOPED_TRACE(failing);
      const TemporaryFolder folder;
      SetClock clock;
      StreamingBounds bounds = BoundsIn(folder, 1, 2);
      bounds.clock = &clock;
      hit = false;
      {
        std::atomic<int> calls{0};
        const ScopedFault fault("streaming.append", [&] {
          const int call = calls++;
          if (call % 2 == 1) clock.SetOnAnHour();
          if (call != failing) return absl::OkStatus();
          hit = true;
          return absl::ResourceExhaustedError("disk full");
        });
        const auto first =
            WriteGraphStreaming(SourceOf(spec), PlanOf(spec), folder.File("g"),
                                OptionsOf(spec), bounds);
        EXPECT_EQ(first.ok(), !hit);
      }
      if (hit) {
        resumed += fs::exists(folder.File("work/nodes-0.state")) ? 1 : 0;
        const auto second =
            WriteGraphStreaming(SourceOf(spec), PlanOf(spec), folder.File("g"),
                                OptionsOf(spec), bounds);
        ASSERT_TRUE(second.ok()) << second.status();
      }
      ExpectSame(FilesOf(folder.File("g")), wanted);
    }
    EXPECT_GT(resumed, 0);
  }
}

// Partitions up to 256 are a byte each in the node map, more are two.
TEST(WriteGraphStreaming, NodeMapsOnBothSidesOfAByte) {
  for (const uint32_t partitions : {256u, 257u}) {
    SCOPED_TRACE(partitions);
    GraphSpec spec{.num_nodes = 300, .num_partitions = partitions};
    for (int64_t v = 0; v < spec.num_nodes; ++v) {
      spec.edges.emplace_back(v, (v * 7 + 1) % spec.num_nodes);
      spec.partition_of.push_back(static_cast<uint16_t>(v % partitions));
    }
    const TemporaryFolder folder;
    const auto written =
        WriteGraphStreaming(SourceOf(spec), PlanOf(spec), folder.File("g"),
                            OptionsOf(spec), BoundsIn(folder, 900, 1));
    ASSERT_TRUE(written.ok()) << written.status();
    ExpectSame(FilesOf(folder.File("g")), InMemory(spec));
    const auto graph = Graph::Open(folder.File("g"), {.verify = true});
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ((*graph)->node_map(0).Locate(256)->partition, 256 % partitions);
  }
}

TEST(WriteGraphStreaming, GoesOnAfterAnEndAtAnyPoint) {
  for (const char* point :
       {"streaming.spill", "streaming.append", "graph.write_array"}) {
    const GraphSpec spec = RandomGraph(31);
    const auto wanted = InMemory(spec);
    bool hit = true;
    // Every point of few, every 17th of many.
    const int step = point == std::string("graph.write_array") ? 17 : 1;
    for (int failing = 0; hit; failing += step) {
      SCOPED_TRACE(point);
      SCOPED_TRACE(failing);
      const TemporaryFolder folder;
      const StreamingBounds bounds = BoundsIn(folder, 1, 2);
      hit = false;
      {
        std::atomic<int> calls{0};
        const ScopedFault fault(point, [&] {
          if (calls++ != failing) return absl::OkStatus();
          hit = true;
          return absl::ResourceExhaustedError("disk full");
        });
        const auto first =
            WriteGraphStreaming(SourceOf(spec), PlanOf(spec), folder.File("g"),
                                OptionsOf(spec), bounds);
        EXPECT_EQ(first.ok(), !hit);
        EXPECT_EQ(fs::exists(folder.File("g")), !hit);
      }
      if (hit) {
        const auto second =
            WriteGraphStreaming(SourceOf(spec), PlanOf(spec), folder.File("g"),
                                OptionsOf(spec), bounds);
        ASSERT_TRUE(second.ok()) << second.status();
      }
      ExpectSame(FilesOf(folder.File("g")), wanted);
    }
  }
}

absl::Status WriteOnly(const GraphSource& source, const GraphSpec& spec,
                       uint64_t memory_bytes = uint64_t{4} << 30) {
  const TemporaryFolder folder;
  StreamingBounds bounds = BoundsIn(folder, 1, 1);
  bounds.memory_bytes = memory_bytes;
  const auto written = WriteGraphStreaming(
      source, PlanOf(spec), folder.File("g"), OptionsOf(spec), bounds);
  EXPECT_FALSE(fs::exists(folder.File("g")));
  return written.status();
}

TEST(WriteGraphStreaming, RefusesWhatDoesNotFit) {
  const GraphSpec spec{.num_nodes = 3,
                       .edges = {{0, 1}, {2, 1}},
                       .num_partitions = 2,
                       .partition_of = {0, 1, 0}};
  GraphSource source = SourceOf(spec);
  source.edge_types[0].to = MakeColumn<int64_t>({1, 3});
  EXPECT_EQ(WriteOnly(source, spec).message(),
            "memory, row 1: 3 is no node of type node; allowed: 0 to 2");
  source = SourceOf(spec);
  source.edge_types[0].weight = MakeColumn<float>({1, std::nanf("")});
  EXPECT_EQ(WriteOnly(source, spec).message(),
            "memory, row 1: weight nan; allowed: finite, not negative");
  source = SourceOf(spec);
  source.edge_types[0].masks["m"] = Mask({1, 2});
  EXPECT_EQ(WriteOnly(source, spec).message(),
            "memory, row 1: 2; allowed: 0 or 1");
  source = SourceOf(spec);
  source.node_types[0].y = MakeColumn<int64_t>({1, 2});
  EXPECT_EQ(WriteOnly(source, spec).message(),
            "y of node has 2 rows where there are 3");
  source = SourceOf(spec);
  source.splits.push_back({.type = "node", .name = "train", .nodes = {3}});
  EXPECT_EQ(WriteOnly(source, spec).message(),
            "split train: 3 is no node of type node; allowed: 0 to 2");
  source = SourceOf(spec);
  EXPECT_EQ(WriteOnly(source, spec, 1 << 20).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
