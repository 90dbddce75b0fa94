#include "partition/pipeline/inputs/rmat/rmat_chunks.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/atomic_folder.h"
#include "common/io/file_writer.h"
#include "common/runtime/parallel_for.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/pipeline/inputs/rmat/rmat_columns.h"

namespace tributary {
namespace {

using nlohmann::json;

constexpr char kNodeType[] = "node";
constexpr char kEdgeType[] = "node:to:node";
constexpr size_t kBlockBytes = size_t{16} << 20;
constexpr size_t kGrain = 8192;  // rows

// The edges as pairs: int64 [edges, 2].
class PairColumn final : public Column {
 public:
  explicit PairColumn(std::shared_ptr<const RmatEdges> edges)
      : Column({DType::kInt64, 2}, edges->num_edges()),
        edges_(std::move(edges)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    // Blocks are allocated as bytes, aligned for any type.
    auto* pairs = reinterpret_cast<int64_t*>(out);
    edges_->Draw(begin, count, pairs, pairs + 1, /*stride=*/2);
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override {
    return absl::StrCat("R-MAT, edge ", row);
  }

 private:
  const std::shared_ptr<const RmatEdges> edges_;
};

// Whether a node is in a split, whose ids ascend: bool.
class MaskColumn final : public Column {
 public:
  MaskColumn(std::vector<int64_t> ids, int64_t num_nodes)
      : Column({DType::kBool, 0}, num_nodes), ids_(std::move(ids)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    std::fill_n(out, count, uint8_t{0});
    for (auto id = std::lower_bound(ids_.begin(), ids_.end(), begin);
         id != ids_.end() && *id < begin + count; ++id) {
      out[*id - begin] = 1;
    }
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override {
    return absl::StrCat("R-MAT, node ", row);
  }

 private:
  const std::vector<int64_t> ids_;
};

class ChunkWriter {
 public:
  ChunkWriter(const AtomicFolder& folder, const RmatChunkOptions& options)
      : folder_(folder), options_(options) {}

  // Writes the chunks of a column; returns the description for metadata.json.
  absl::StatusOr<json> Write(const std::string& name, const Column& column) {
    json files = json::array();
    for (int64_t begin = 0, i = 0; i == 0 || begin < column.num_rows(); ++i) {
      const int64_t rows =
          std::min(options_.chunk_rows, column.num_rows() - begin);
      const std::string file = absl::StrCat(name, "/part-", i, ".npy");
      ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(file));
      RETURN_IF_ERROR(WriteChunk(path, column, begin, rows));
      files.push_back(file);
      begin += rows;
    }
    return json{{"format", {{"name", "numpy"}}}, {"data", std::move(files)}};
  }

  // Returns the rows of each chunk.
  json RowsByChunk(int64_t num_rows) const {
    json rows = json::array();
    for (int64_t begin = 0; rows.empty() || begin < num_rows;) {
      rows.push_back(std::min(options_.chunk_rows, num_rows - begin));
      begin += options_.chunk_rows;
    }
    return rows;
  }

 private:
  absl::Status WriteChunk(const std::string& path, const Column& column,
                          int64_t begin, int64_t rows) {
    const ColumnSchema& schema = column.schema();
    std::vector<int64_t> shape = {rows};
    if (schema.dim > 0) shape.push_back(schema.dim);
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    RETURN_IF_ERROR(
        file.Append(FormatNpyHeader(NpyTypeOf(schema.dtype), shape)));
    const size_t row_bytes = schema.row_bytes();
    const int64_t at_once = std::max<int64_t>(1, kBlockBytes / row_bytes);
    for (int64_t done = 0; done < rows;) {
      const int64_t n = std::min(at_once, rows - done);
      block_.resize(static_cast<size_t>(n) * row_bytes);
      RETURN_IF_ERROR(Compute(column, begin + done, n));
      RETURN_IF_ERROR(file.Append(block_));
      bytes_ += block_.size();
      if (options_.progress) options_.progress(bytes_);
      done += n;
    }
    return file.Close();
  }

  // Fills block_ with rows, on all cores.
  absl::Status Compute(const Column& column, int64_t begin, int64_t rows) {
    const size_t row_bytes = column.schema().row_bytes();
    const size_t grain =
        std::clamp<size_t>((size_t{1} << 20) / row_bytes, 1, kGrain);
    return ParallelFor(static_cast<size_t>(rows), grain,
                       [&](size_t from, size_t to) {
                         return column.Read(begin + static_cast<int64_t>(from),
                                            static_cast<int64_t>(to - from),
                                            block_.data() + from * row_bytes);
                       });
  }

  const AtomicFolder& folder_;
  const RmatChunkOptions& options_;
  std::vector<uint8_t> block_;
  uint64_t bytes_ = 0;
};

absl::Status CheckRoom(const std::string& folder, uint64_t needed) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error || space.available >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the chunks take ", needed, " bytes; the disk of ", folder,
                   " has ", space.available, " left"));
}

// The name of a split's mask in DGL's data sets.
std::string MaskName(const std::string& split) {
  return (split == "valid" ? "val" : split) + "_mask";
}

absl::StatusOr<json> WriteNodeData(ChunkWriter& writer, GraphSource& graph) {
  const NodeSource& nodes = graph.node_types[0];
  json data = json::object();
  const auto write = [&](const std::string& name,
                         const Column* column) -> absl::Status {
    if (column == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(data[name], writer.Write("node_data/" + name, *column));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(write("feat", nodes.x.get()));
  RETURN_IF_ERROR(write("label", nodes.y.get()));
  RETURN_IF_ERROR(write("time", nodes.time.get()));
  for (SplitSource& split : graph.splits) {
    const MaskColumn mask(std::move(split.nodes), nodes.num_nodes);
    RETURN_IF_ERROR(write(MaskName(split.name), &mask));
  }
  return data;
}

absl::StatusOr<json> WriteEdgeData(ChunkWriter& writer,
                                   const EdgeSource& edges) {
  json data = json::object();
  const auto write = [&](const std::string& name,
                         const Column* column) -> absl::Status {
    if (column == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(data[name], writer.Write("edge_data/" + name, *column));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(write("weight", edges.weight.get()));
  RETURN_IF_ERROR(write("time", edges.time.get()));
  for (const auto& [name, mask] : edges.masks) {
    RETURN_IF_ERROR(write(name, mask.get()));
  }
  return data;
}

}  // namespace

uint64_t RmatChunkBytes(const RmatOptions& options) {
  const uint64_t nodes = uint64_t{1} << options.scale;
  const auto edges = static_cast<uint64_t>(options.edges);
  const uint64_t node_bytes =
      static_cast<uint64_t>(options.feat_dim) * DTypeSize(options.feat_dtype) +
      sizeof(int64_t) + 3 + (options.node_times ? sizeof(int64_t) : 0);
  const uint64_t edge_bytes =
      2 * sizeof(int64_t) + (options.edge_weights ? sizeof(float) : 0) +
      (options.edge_times ? sizeof(int64_t) : 0) + options.edge_masks.size();
  return nodes * node_bytes + edges * edge_bytes;
}

absl::Status WriteRmatChunks(const RmatOptions& options,
                             const RmatChunkOptions& chunks) {
  RETURN_IF_ERROR(CheckRmatOptions(options));
  if (chunks.chunk_rows < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--chunk-rows ", chunks.chunk_rows, "; allowed: 1 and more"));
  }
  ASSIGN_OR_RETURN(AtomicFolder folder, AtomicFolder::Create(chunks.folder));
  RETURN_IF_ERROR(CheckRoom(folder.path(), RmatChunkBytes(options)));
  ASSIGN_OR_RETURN(const auto drawn, RmatEdges::Make(options));
  GraphSource graph = MakeRmatSource(options, drawn);
  ChunkWriter writer(folder, chunks);
  json meta;
  meta["graph_name"] = graph.name;
  meta["node_type"] = json::array({kNodeType});
  meta["edge_type"] = json::array({kEdgeType});
  meta["num_nodes_per_chunk"] = json::array();
  meta["num_nodes_per_chunk"].push_back(
      writer.RowsByChunk(graph.node_types[0].num_nodes));
  meta["num_edges_per_chunk"] = json::array();
  meta["num_edges_per_chunk"].push_back(writer.RowsByChunk(options.edges));
  ASSIGN_OR_RETURN(meta["edges"][kEdgeType],
                   writer.Write("edge_index", PairColumn(drawn)));
  ASSIGN_OR_RETURN(meta["node_data"][kNodeType], WriteNodeData(writer, graph));
  ASSIGN_OR_RETURN(meta["edge_data"][kEdgeType],
                   WriteEdgeData(writer, graph.edge_types[0]));
  ASSIGN_OR_RETURN(const std::string path, folder.PathFor("metadata.json"));
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
  RETURN_IF_ERROR(file.Append(meta.dump(2) + "\n"));
  RETURN_IF_ERROR(file.Close());
  return folder.Commit(/*flush=*/false);
}

}  // namespace tributary
