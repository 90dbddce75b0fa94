#include "partition/pipeline/inputs/rmat/rmat_chunks.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "partition/format/testing/graph_builder.h"
#include "partition/source/file_column.h"

namespace tributary {
namespace {

using nlohmann::json;
using testing::ElementsAre;

// The column of the chunks that a description lists.
ColumnPtr ColumnOf(const std::string& folder, const json& description) {
  EXPECT_EQ(description["format"]["name"], "numpy");
  std::vector<std::string> paths;
  for (const std::string file : description["data"]) {
    paths.push_back(folder + "/" + file);
  }
  const auto column = OpenNpyColumn(paths);
  EXPECT_TRUE(column.ok()) << column.status();
  return column.ok() ? *column : nullptr;
}

template <typename T>
std::vector<T> Values(const Column& column) {
  std::vector<T> values(column.num_rows() * column.schema().width());
  EXPECT_TRUE(
      column
          .Read(0, column.num_rows(), reinterpret_cast<uint8_t*>(values.data()))
          .ok());
  return values;
}

std::vector<uint8_t> Bytes(const Column& column) {
  std::vector<uint8_t> bytes(column.num_rows() * column.schema().row_bytes());
  EXPECT_TRUE(column.Read(0, column.num_rows(), bytes.data()).ok());
  return bytes;
}

const RmatOptions kOptions{.scale = 6,
                           .edges = 250,
                           .feat_dim = 3,
                           .feat_dtype = DType::kFloat16,
                           .random_seed = 9,
                           .edge_weights = true,
                           .edge_times = true,
                           .node_times = true,
                           .edge_masks = {"half"}};

TEST(RmatChunks, HoldTheColumnsOfTheSource) {
  const TemporaryFolder folder;
  const std::string out = folder.File("chunks");
  uint64_t bytes = 0;
  ASSERT_TRUE(
      WriteRmatChunks(kOptions, {.folder = out,
                                 .chunk_rows = 100,
                                 .progress = [&](uint64_t b) { bytes = b; }})
          .ok());
  EXPECT_EQ(bytes, RmatChunkBytes(kOptions));
  const json meta = json::parse(std::ifstream(out + "/metadata.json"));
  EXPECT_EQ(meta["graph_name"], "rmat-6");
  EXPECT_EQ(meta["node_type"], json::parse(R"(["node"])"));
  EXPECT_EQ(meta["edge_type"], json::parse(R"(["node:to:node"])"));
  EXPECT_EQ(meta["num_nodes_per_chunk"], json::parse("[[64]]"));
  EXPECT_EQ(meta["num_edges_per_chunk"], json::parse("[[100, 100, 50]]"));

  const auto source = GenerateRmatSource(kOptions);
  ASSERT_TRUE(source.ok()) << source.status();
  const EdgeSource& edges = source->edge_types[0];
  const NodeSource& nodes = source->node_types[0];
  const auto pairs =
      Values<int64_t>(*ColumnOf(out, meta["edges"]["node:to:node"]));
  const auto from = Values<int64_t>(*edges.from);
  const auto to = Values<int64_t>(*edges.to);
  ASSERT_EQ(pairs.size(), 500);
  for (size_t i = 0; i < 250; ++i) {
    EXPECT_EQ(pairs[2 * i], from[i]);
    EXPECT_EQ(pairs[2 * i + 1], to[i]);
  }
  const json& of_nodes = meta["node_data"]["node"];
  EXPECT_EQ(Bytes(*ColumnOf(out, of_nodes["feat"])), Bytes(*nodes.x));
  EXPECT_EQ(Bytes(*ColumnOf(out, of_nodes["label"])), Bytes(*nodes.y));
  EXPECT_EQ(Bytes(*ColumnOf(out, of_nodes["time"])), Bytes(*nodes.time));
  const json& of_edges = meta["edge_data"]["node:to:node"];
  EXPECT_EQ(Bytes(*ColumnOf(out, of_edges["weight"])), Bytes(*edges.weight));
  EXPECT_EQ(Bytes(*ColumnOf(out, of_edges["time"])), Bytes(*edges.time));
  EXPECT_EQ(Bytes(*ColumnOf(out, of_edges["half"])),
            Bytes(*edges.masks.at("half")));
  for (const SplitSource& split : source->splits) {
    const std::string name = split.name == "valid" ? "val" : split.name;
    const auto mask = Values<uint8_t>(*ColumnOf(out, of_nodes[name + "_mask"]));
    std::vector<int64_t> ids;
    for (int64_t v = 0; v < 64; ++v) {
      if (mask[v] != 0) ids.push_back(v);
    }
    EXPECT_EQ(ids, split.nodes);
  }
}

TEST(RmatChunks, AGraphWithoutEdgesHasOneEmptyChunk) {
  const TemporaryFolder folder;
  const std::string out = folder.File("chunks");
  ASSERT_TRUE(WriteRmatChunks({.scale = 1}, {.folder = out}).ok());
  const json meta = json::parse(std::ifstream(out + "/metadata.json"));
  EXPECT_EQ(meta["num_edges_per_chunk"], json::parse("[[0]]"));
  EXPECT_EQ(ColumnOf(out, meta["edges"]["node:to:node"])->num_rows(), 0);
}

TEST(RmatChunks, RefusesWhatIsThereAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string out = folder.File("chunks");
  const auto write = [&](RmatOptions options, RmatChunkOptions chunks) {
    chunks.folder = out;
    return WriteRmatChunks(options, chunks).code();
  };
  EXPECT_EQ(write({.scale = 2}, {.chunk_rows = 0}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(write({.scale = 0}, {}), absl::StatusCode::kInvalidArgument);
  // 16 TiB of edges.
  EXPECT_EQ(write({.scale = 2, .edges = int64_t{1} << 40}, {}),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  std::filesystem::create_directory(out);
  EXPECT_EQ(write({.scale = 2}, {}), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace tributary
