// One graph in several formats has one content digest.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/tensor/npy.h"
#include "common/tensor/npz.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/inputs/load_content.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

constexpr char kCora[] = "tests/data/cora";
constexpr char kAifb[] = "tests/data/aifb";

template <typename T>
std::vector<T> Values(const Column& column) {
  std::vector<T> values(static_cast<size_t>(column.num_rows()) *
                        column.schema().width());
  EXPECT_TRUE(
      column
          .Read(0, column.num_rows(), reinterpret_cast<uint8_t*>(values.data()))
          .ok());
  return values;
}

// Returns a number as text that is read as the same number.
std::string Text(float value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

// Writes a graph that OGB's reader has read in other formats.
class SameGraphTest : public testing::Test {
 protected:
  SameGraphTest() : ogb_spool_(ogb_folder_.path()) {}

  void ReadOgb(const std::string& folder) {
    auto graph = ReadSource({.folder = folder}, ogb_spool_);
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
  }
  static Sha256Digest DigestOf(const GraphSource& graph) {
    const auto content = LoadContent(graph);
    EXPECT_TRUE(content.ok()) << content.status();
    if (!content.ok()) return {};
    EXPECT_TRUE(CheckContent(*content).ok());
    return ComputeContentDigest(*content);
  }
  // Reads the files with a spool of their own; expects the digest of `graph_`.
  void ExpectSame(const InputOptions& options, bool add_reverse = false) {
    for (const bool reverse : {false, add_reverse}) {
      const TemporaryFolder spool_folder;
      const Spool spool(spool_folder.path());
      InputOptions reading = options;
      reading.add_reverse = reverse;
      const auto graph = ReadSource(reading, spool);
      ASSERT_TRUE(graph.ok()) << graph.status();
      EXPECT_EQ(graph->heterogeneous, graph_.heterogeneous);
      GraphSource wanted = graph_;
      for (EdgeSource& edges : wanted.edge_types) edges.add_reverse = reverse;
      EXPECT_EQ(ToHex(DigestOf(*graph)), ToHex(DigestOf(wanted)));
    }
  }
  std::ofstream File(const std::string& name) {
    const std::string path = folder_.File(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    return std::ofstream(path, std::ios::binary);
  }
  void WriteArray(const std::string& name, NpyType type,
                  const std::vector<int64_t>& shape, const void* data,
                  size_t bytes) {
    std::ofstream out = File(name);
    out << FormatNpyHeader(type, shape);
    out.write(static_cast<const char*>(data),
              static_cast<std::streamsize>(bytes));
  }
  void WriteColumn(const std::string& name, const Column& column) {
    const auto bytes = Bytes(column);
    WriteArray(name, NpyTypeOf(column.schema().dtype),
               column.schema().array_shape(column.num_rows()), bytes.data(),
               bytes.size());
  }
  static std::vector<uint8_t> Bytes(const Column& column) {
    std::vector<uint8_t> bytes(static_cast<size_t>(column.num_rows()) *
                               column.schema().row_bytes());
    EXPECT_TRUE(column.Read(0, column.num_rows(), bytes.data()).ok());
    return bytes;
  }
  void WriteIds(const std::string& name, const std::vector<int64_t>& ids) {
    WriteArray(name, kNpyInt64, {static_cast<int64_t>(ids.size())}, ids.data(),
               ids.size() * sizeof(int64_t));
  }

  // Writes nodes.csv and edges.csv of a homogeneous graph and a list for each
  // split, with the ids that `id_of` makes.
  void WriteTables(const std::function<std::string(int64_t)>& id_of) {
    const NodeSource& nodes = graph_.node_types[0];
    const size_t width = nodes.x->schema().width();
    const auto x = Values<float>(*nodes.x);
    const auto y = Values<int64_t>(*nodes.y);
    std::ofstream out = File("nodes.csv");
    out << "key,label";
    for (size_t c = 0; c < width; ++c) out << ",f" << c;
    out << "\n";
    // In another order than that of the ids.
    for (int64_t i = 0; i < nodes.num_nodes; ++i) {
      const int64_t v = (i * 5) % nodes.num_nodes;
      out << id_of(v) << "," << y[v];
      for (size_t c = 0; c < width; ++c) out << "," << Text(x[v * width + c]);
      out << "\n";
    }
    std::ofstream edges = File("edges.csv");
    const auto from = Values<int64_t>(*graph_.edge_types[0].from);
    const auto to = Values<int64_t>(*graph_.edge_types[0].to);
    edges << "a,b\n";
    for (size_t i = 0; i < from.size(); ++i) {
      edges << id_of(from[i]) << "," << id_of(to[i]) << "\n";
    }
    for (const SplitSource& split : graph_.splits) {
      std::ofstream list = File(split.name + ".csv");
      for (int64_t v : split.nodes) list << id_of(v) << "\n";
    }
    File("graph.json") << R"({
      "nodes": {"node": {"table": "nodes.csv", "id": "key", "features": "f*",
        "labels": "label", "splits": {"public/train": "train.csv",
          "public/valid": "valid.csv", "public/test": "test.csv"}}},
      "edges": {"node,to,node": {"table": "edges.csv", "src": "a",
        "dst": "b"}}})";
  }
  InputOptions ByConfig(const char* format) const {
    InputOptions options;
    options.format = format;
    options.layout.config = folder_.File("graph.json");
    return options;
  }

  // Writes the arrays of all types as a script does from PyG's data, and of
  // splits NAME_idx.npy or NAME_mask.npy.
  void WriteFolder(bool masks) {
    for (const NodeSource& nodes : graph_.node_types) {
      const std::string at = graph_.heterogeneous ? nodes.name + "/" : "";
      if (nodes.x != nullptr) WriteColumn(at + "x.npy", *nodes.x);
      if (nodes.y != nullptr) WriteColumn(at + "y.npy", *nodes.y);
      WriteArray(at + "num_nodes.npy", kNpyInt64, {}, &nodes.num_nodes, 8);
      for (const SplitSource& split : graph_.splits) {
        if (split.type != nodes.name) continue;
        if (!masks) {
          WriteIds(absl::StrCat(at, split.name, "_idx.npy"), split.nodes);
          continue;
        }
        std::vector<uint8_t> mask(static_cast<size_t>(nodes.num_nodes), 0);
        for (int64_t v : split.nodes) mask[v] = 1;
        WriteArray(absl::StrCat(at, split.name, "_mask.npy"), {'b', 1},
                   {nodes.num_nodes}, mask.data(), mask.size());
      }
    }
    for (const EdgeSource& edges : graph_.edge_types) {
      std::string at;
      if (graph_.heterogeneous) {
        at = absl::StrReplaceAll(edges.name(), {{",", "__"}}) + "/";
      }
      auto ends = Values<int64_t>(*edges.from);
      const auto to = Values<int64_t>(*edges.to);
      ends.insert(ends.end(), to.begin(), to.end());
      WriteArray(at + "edge_index.npy", kNpyInt64, {2, edges.num_rows()},
                 ends.data(), ends.size() * sizeof(int64_t));
    }
  }
  InputOptions OfFolder(const std::string& file = "") const {
    InputOptions options;
    options.format = "npy";
    options.folder = folder_.path() + file;
    return options;
  }
  void DropSchemes() {
    for (SplitSource& split : graph_.splits) split.scheme.clear();
  }

  const TemporaryFolder ogb_folder_, folder_;
  const Spool ogb_spool_;
  GraphSource graph_;
};

TEST_F(SameGraphTest, CoraAsTablesOfDenseIds) {
  ReadOgb(kCora);
  WriteTables([](int64_t v) { return absl::StrCat(v); });
  ExpectSame(ByConfig("edge-list"), /*add_reverse=*/true);
}

TEST_F(SameGraphTest, CoraAsTablesOfNumbersWithGaps) {
  ReadOgb(kCora);
  WriteTables([](int64_t v) { return absl::StrCat(7 * v - 1000); });
  ExpectSame(ByConfig("edge-list"));
}

TEST_F(SameGraphTest, CoraAsTablesOfWords) {
  ReadOgb(kCora);
  WriteTables([](int64_t v) { return absl::StrCat("paper-", v + 10000); });
  ExpectSame(ByConfig("edge-list"));
}

TEST_F(SameGraphTest, CoraByFlags) {
  ReadOgb(kCora);
  graph_.splits.clear();
  WriteTables([](int64_t v) { return absl::StrCat("paper-", v + 10000); });
  InputOptions options;
  options.format = "edge-list";
  options.folder = folder_.path();
  options.layout.src = "a";
  options.layout.dst = "b";
  options.layout.node_id = "key";
  options.layout.features = {"f*"};
  options.layout.labels = {"label"};
  ExpectSame(options, /*add_reverse=*/true);
}

TEST_F(SameGraphTest, CoraAsDataOfPyG) {
  ReadOgb(kCora);
  DropSchemes();
  WriteFolder(/*masks=*/false);
  ExpectSame(OfFolder(), /*add_reverse=*/true);
}

TEST_F(SameGraphTest, CoraWithMasks) {
  ReadOgb(kCora);
  DropSchemes();
  for (SplitSource& split : graph_.splits) std::ranges::sort(split.nodes);
  WriteFolder(/*masks=*/true);
  ExpectSame(OfFolder());
}

TEST_F(SameGraphTest, CoraAsNpz) {
  ReadOgb(kCora);
  DropSchemes();
  const NodeSource& nodes = graph_.node_types[0];
  const EdgeSource& edges = graph_.edge_types[0];
  const auto x = Bytes(*nodes.x), y = Bytes(*nodes.y);
  const auto src = Bytes(*edges.from), dst = Bytes(*edges.to);
  std::vector<TensorView> tensors = {
      {"x", DType::kFloat32, {nodes.num_nodes, nodes.x->schema().dim}, x},
      {"y", DType::kInt64, {nodes.num_nodes}, y},
      {"src", DType::kInt64, {edges.num_rows()}, src},
      {"dst", DType::kInt64, {edges.num_rows()}, dst}};
  for (const SplitSource& split : graph_.splits) {
    tensors.push_back({split.name + "_idx",
                       DType::kInt64,
                       {static_cast<int64_t>(split.nodes.size())},
                       {reinterpret_cast<const uint8_t*>(split.nodes.data()),
                        split.nodes.size() * sizeof(int64_t)}});
  }
  ASSERT_TRUE(WriteNpz(folder_.File("cora.npz"), tensors).ok());
  ExpectSame(OfFolder("/cora.npz"));
}

// Rows of edges sorted by one end, with the edges' ids beside them.
TEST_F(SameGraphTest, CoraInCompressedRows) {
  ReadOgb(kCora);
  DropSchemes();
  for (const bool by_source : {false, true}) {
    const EdgeSource& edges = graph_.edge_types[0];
    const auto row = Values<int64_t>(by_source ? *edges.from : *edges.to);
    const auto other = Values<int64_t>(by_source ? *edges.to : *edges.from);
    std::vector<int64_t> ids(row.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i);
    std::ranges::stable_sort(
        ids, [&](int64_t a, int64_t b) { return row[a] < row[b]; });
    std::vector<int64_t> indptr(1, 0), indices;
    for (size_t i = 0; i < ids.size(); ++i) {
      while (static_cast<int64_t>(indptr.size()) <= row[ids[i]]) {
        indptr.push_back(static_cast<int64_t>(i));
      }
      indices.push_back(other[ids[i]]);
    }
    while (static_cast<int64_t>(indptr.size()) <=
           graph_.node_types[0].num_nodes) {
      indptr.push_back(static_cast<int64_t>(ids.size()));
    }
    std::filesystem::remove_all(folder_.path());
    WriteFolder(/*masks=*/false);
    std::filesystem::remove(folder_.File("edge_index.npy"));
    const std::string prefix = by_source ? "csr_" : "csc_";
    WriteIds(prefix + "indptr.npy", indptr);
    WriteIds(prefix + "indices.npy", indices);
    WriteIds(prefix + "edge_ids.npy", ids);
    ExpectSame(OfFolder());
  }
}

TEST_F(SameGraphTest, AifbAsHeteroDataOfPyG) {
  ReadOgb(kAifb);
  DropSchemes();
  WriteFolder(/*masks=*/false);
  ExpectSame(OfFolder());
}

// Every type's ids are other words, which no edge of some types may have.
TEST_F(SameGraphTest, AifbAsTablesOfWords) {
  ReadOgb(kAifb);
  graph_.splits.clear();
  const auto id_of = [](const std::string& type, int64_t v) {
    return absl::StrCat("\"", type, ", ", 100000 + v, "\"");
  };
  std::vector<std::string> node_keys, edge_keys;
  for (const NodeSource& nodes : graph_.node_types) {
    std::ofstream out = File(nodes.name + ".csv");
    const bool labels = nodes.y != nullptr;
    const auto y = labels ? Values<int64_t>(*nodes.y) : std::vector<int64_t>();
    out << "id,y\n";
    for (int64_t v = nodes.num_nodes - 1; v >= 0; --v) {
      out << id_of(nodes.name, v) << "," << (labels ? y[v] : 0) << "\n";
    }
    node_keys.push_back(absl::StrCat("\"", nodes.name, "\": {\"table\": \"",
                                     nodes.name, ".csv\"",
                                     labels ? ", \"labels\": \"y\"}" : "}"));
  }
  for (size_t t = 0; t < graph_.edge_types.size(); ++t) {
    const EdgeSource& edges = graph_.edge_types[t];
    const std::string name = absl::StrCat("edges", t, ".tsv");
    std::ofstream out = File(name);
    const auto from = Values<int64_t>(*edges.from);
    const auto to = Values<int64_t>(*edges.to);
    out << "source\ttarget\n";
    for (size_t i = 0; i < from.size(); ++i) {
      out << id_of(edges.src, from[i]) << "\t" << id_of(edges.dst, to[i])
          << "\n";
    }
    edge_keys.push_back(
        absl::StrCat("\"", edges.name(), "\": {\"table\": \"", name, "\"}"));
  }
  File("graph.json") << "{\"nodes\": {" << absl::StrJoin(node_keys, ",\n")
                     << "}, \"edges\": {" << absl::StrJoin(edge_keys, ",\n")
                     << "}}";
  ExpectSame(ByConfig("edge-list"));
}

}  // namespace
}  // namespace tributary
